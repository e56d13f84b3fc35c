import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { ClientCredential } from '@junction/client-credentials';
import { z } from 'zod';
import { usage } from './failure.js';

export const SERVICES = ['auth', 'integrations', 'webhooks'] as const;
export type ServiceName = (typeof SERVICES)[number];

/** The service a token is for (RFC 8707 calls it the resource), as its paths name it too. */
export const AUDIENCES = {
  auth: 'auth',
  integrations: 'integrations',
  webhooks: 'webhook-dispatcher',
} as const satisfies Readonly<Record<ServiceName, string>>;

export interface Settings {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly credential: ClientCredential;
  /** URL of the service's own HTTP server, which is not that of the gateway. */
  readonly url: string;
}

const privateJwk = z.looseObject({ kty: z.string(), alg: z.string() });
const client = z.object({ client_id: z.string(), client_secret: z.string() });
const endpointsFile = z.object({
  gateway: z.url(),
  http: z.object({ auth: z.url(), integrations: z.url(), webhooks: z.url() }),
  operator: client,
});

const URL_VARIABLES: Readonly<Record<ServiceName, string>> = {
  auth: 'AUTH_URL',
  integrations: 'INTEGRATIONS_URL',
  webhooks: 'WEBHOOKS_URL',
};

/**
 * Returns the address and the credentials of a service: from the environment when it names a service account,
 * otherwise from the file that `npm start` wrote in this checkout.
 * @throws Failure (usage) that names what is missing
 */
export function settingsOf(env: NodeJS.ProcessEnv, cwd: string, service: ServiceName): Settings {
  if (env['JUNCTION_CLIENT_ID']) return fromEnvironment(env, service);
  const file = endpointsPath(env, cwd);
  if (file === undefined) {
    throw usage(
      'There is nobody to ask. Either run npm start and call this inside its checkout, or set ' +
        `JUNCTION_CLIENT_ID, JUNCTION_CLIENT_SECRET, JUNCTION_TOKEN_URL and ${URL_VARIABLES[service]}.`,
    );
  }
  return fromCheckout(file, service);
}

function fromEnvironment(env: NodeJS.ProcessEnv, service: ServiceName): Settings {
  const proof = env['JUNCTION_CLIENT_KEY_FILE'] ? 'JUNCTION_ISSUER' : 'JUNCTION_CLIENT_SECRET';
  const names = [proof, 'JUNCTION_TOKEN_URL', URL_VARIABLES[service]];
  const missing = names.filter((name) => !env[name]);
  if (missing.length > 0) throw usage(`Beside JUNCTION_CLIENT_ID set ${missing.join(' and ')}.`);

  return {
    tokenUrl: protectedUrl(env, 'JUNCTION_TOKEN_URL'),
    clientId: env['JUNCTION_CLIENT_ID'] ?? '',
    credential: credentialOf(env),
    url: protectedUrl(env, URL_VARIABLES[service]).replace(/\/$/, ''),
  };
}

function protectedUrl(env: NodeJS.ProcessEnv, variable: string): string {
  const text = env[variable] ?? '';
  // `fetch` takes no URL with a user in it.
  if (!isHttpUrl(text) || new URL(text).username !== '') {
    throw usage(`${variable} must be a URL, such as https://…, without a user or a password.`);
  }
  if (!isExposed(new URL(text), env)) return text;
  throw usage(
    `${variable} is ${text}, which would show secrets and tokens to the network. Use https:// or, as with kubectl ` +
      'port-forward, this machine; with JUNCTION_ENV=development http:// is allowed.',
  );
}

export const isHttpUrl = (text: string): boolean => URL.canParse(text) && /^https?:/.test(text);

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Tells whether requests to this URL could be read on their way. In development that is allowed. */
export const isExposed = ({ protocol, hostname }: URL, env: NodeJS.ProcessEnv): boolean =>
  protocol !== 'https:' && !LOOPBACK.test(hostname) && env['JUNCTION_ENV'] !== 'development';

/** A private key in place of the secret: a file with a JWK. */
function credentialOf(env: NodeJS.ProcessEnv): ClientCredential {
  const file = env['JUNCTION_CLIENT_KEY_FILE'];
  if (!file) return { secret: env['JUNCTION_CLIENT_SECRET'] ?? '' };
  try {
    const privateKey = privateJwk.parse(JSON.parse(readFileSync(file, 'utf8')));
    return { privateKey, issuer: env['JUNCTION_ISSUER'] ?? '' };
  } catch {
    throw usage(
      `JUNCTION_CLIENT_KEY_FILE names ${file}, which holds no private key with alg (JWK).`,
    );
  }
}

/** `endpoints.json` of JUNCTION_DATA_DIR, or of the nearest `.junction` from here upwards. */
function endpointsPath(env: NodeJS.ProcessEnv, cwd: string): string | undefined {
  if (env['JUNCTION_DATA_DIR']) {
    const file = path.resolve(cwd, env['JUNCTION_DATA_DIR'], 'endpoints.json');
    return existsSync(file) ? file : undefined;
  }
  for (let folder = path.resolve(cwd); ; folder = path.dirname(folder)) {
    const file = path.join(folder, '.junction', 'endpoints.json');
    if (existsSync(file)) return file;
    if (folder === path.dirname(folder)) return undefined;
  }
}

/** Returns the URL of this checkout's product, if there is one. */
export function gatewayOf(env: NodeJS.ProcessEnv, cwd: string): string | undefined {
  const file = endpointsPath(env, cwd);
  return file === undefined ? undefined : readEndpoints(file).gateway;
}

function fromCheckout(file: string, service: ServiceName): Settings {
  const { gateway, http, operator } = readEndpoints(file);
  return {
    tokenUrl: new URL('/oauth/token', gateway).href,
    clientId: operator.client_id,
    credential: { secret: operator.client_secret },
    url: http[service],
  };
}

function readEndpoints(file: string): z.infer<typeof endpointsFile> {
  try {
    return endpointsFile.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (cause) {
    const why = cause instanceof Error && 'code' in cause ? `: ${String(cause.code)}` : '';
    throw usage(`${file} cannot be read, or is not what npm start writes${why}.`);
  }
}
