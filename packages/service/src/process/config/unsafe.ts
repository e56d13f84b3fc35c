import { isDevelopment, isGrpcPlaintext } from './variables.js';

/** Mistake in one variable. The message never holds the value, which may be the secret itself. */
export interface Mistake {
  readonly variable: string;
  readonly message: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

const LOCALHOSTS = ['localhost', '127.0.0.1', '[::1]'];

/** Returns what only a developer's machine may have: secrets that anybody can look up, and private targets. */
export function unsafeSettings(env: Environment): readonly Mistake[] {
  if (isDevelopment(env)) return [];
  const defaults = Object.keys(env).filter((name) => holdsDefaultSecret(name, env[name] ?? ''));
  const message = 'is a default that anybody can look up: set a random one';
  return [...privateTargets(env), ...defaults.map((variable) => ({ variable, message }))];
}

function privateTargets(env: Environment): readonly Mistake[] {
  const variable = 'WEBHOOK_ALLOW_PRIVATE_TARGETS';
  const message = 'is on, which only JUNCTION_ENV=development may have: remove it';
  return env[variable] === 'true' ? [{ variable, message }] : [];
}

/** Returns mistakes of two variables together, which the schema of neither finds. */
export function contradictions(env: Environment): readonly Mistake[] {
  return [...publicUrlMistakes(env), ...transportMistakes(env)];
}

function publicUrlMistakes(env: Environment): readonly Mistake[] {
  const variable = 'PUBLIC_URL';
  const url = tryUrl(env[variable] ?? '');
  if (url?.protocol !== 'http:') return [];
  if (!isDevelopment(env)) {
    return [{ variable, message: 'must be https:// (http:// needs JUNCTION_ENV=development)' }];
  }
  if (LOCALHOSTS.includes(url.hostname)) return [];
  return [{ variable, message: 'may be http:// for localhost only' }];
}

function tryUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

function transportMistakes(env: Environment): readonly Mistake[] {
  const mistakes: Mistake[] = [];
  if (env['GRPC_PORT'] !== undefined && !isGrpcPlaintext(env)) {
    for (const variable of ['GRPC_TLS_CERT_FILE', 'GRPC_TLS_KEY_FILE']) {
      if (env[variable] === undefined) {
        mistakes.push({ variable, message: 'is missing: the gRPC server needs both' });
      }
    }
  }
  if (env['GRPC_MUTUAL_TLS'] === 'true' && env['GRPC_TLS_CA_FILE'] === undefined) {
    mistakes.push({
      variable: 'GRPC_TLS_CA_FILE',
      message: 'is missing: with GRPC_MUTUAL_TLS it says whose certificates are let in',
    });
  }
  return mistakes;
}

const SECRET_NAME = /(_SECRET|_PASSWORD|_KEY|_KEYS|_TOKEN)$/;
const DEFAULTS = new Set(
  'secret password postgres junction default dev development test admin example root guest 123456 12345678'.split(
    ' ',
  ),
);
const PLACEHOLDER =
  /change[-_ ]?me|insecure|dev(elopment)?[-_]only|not[-_]a[-_]secret|replace[-_]me/i;
/** A key whose bytes are all the same: base64 of zeros, say. */
const MONOTONE_KEY = /(^|[:,])(A{43}|_{43})=?($|,)/;

function holdsDefaultSecret(name: string, value: string): boolean {
  if (SECRET_NAME.test(name)) return isDefault(value) || MONOTONE_KEY.test(value);
  if (name.endsWith('DATABASE_URL')) return isDefault(tryUrl(value)?.password ?? '');
  return false;
}

const isDefault = (value: string): boolean =>
  DEFAULTS.has(value.toLowerCase()) || PLACEHOLDER.test(value);
