import type { Mistake } from './unsafe.js';
import { isDevelopment } from './variables.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** A name that is read no more: the value that applies whatever it says, and what to do. */
type Former = readonly [variable: string, applies: string, message: string];

const PERMISSIONS =
  'ALLOW_HTTP_PUBLIC_URL ALLOW_HTTP_ISSUER GRPC_PLAINTEXT KAFKA_PLAINTEXT GRPC_REFLECTION DEV_MAILBOX';
const PERMITTED =
  'is no setting: JUNCTION_ENV=development alone allows it, and GRPC_TLS_CERT_FILE or KAFKA_SSL_CA_FILE bring TLS there too. Remove it';
const RUNBOOKS =
  'is no setting: alerts link to /docs/runbooks of PUBLIC_URL, and Prometheus relabels junction_runbooks_info (docs/metrics.md). Remove it';

const partOfLimits = (name: string): string =>
  `is a part of SIGN_IN_LIMITS, ${name}=number/seconds. Set that, and remove this`;

const former = (env: Environment): readonly Former[] => [
  ...PERMISSIONS.split(' ').map((name): Former => [name, String(isDevelopment(env)), PERMITTED]),
  ['LOGIN_LIMIT_PER_ACCOUNT', '10', partOfLimits('account')],
  ['LOGIN_LIMIT_PER_NETWORK', '100', partOfLimits('network')],
  ['LOGIN_LIMIT_WINDOW_S', '900', partOfLimits('account')],
  ['REGISTER_LIMIT_PER_NETWORK', '1000', partOfLimits('registration')],
  ['REGISTER_LIMIT_WINDOW_S', '600', partOfLimits('registration')],
  ['REFRESH_TOKEN_REUSE_WINDOW_S', '10', 'is no setting, but 10 everywhere. Remove it'],
  ['RUNBOOKS_URL', '', RUNBOOKS],
];

/**
 * Returns the names in the environment that are read no more: `refused` are those whose value asks for something else
 * than what applies, `idle` the others.
 */
export function formerSettings(env: Environment): Record<'refused' | 'idle', readonly Mistake[]> {
  const found = former(env).filter(([variable]) => Boolean(env[variable]));
  const those = (isIdle: boolean) =>
    found.filter(([variable, applies]) => (env[variable] === applies) === isIdle).map(mistakeOf);
  return { refused: those(false), idle: those(true) };
}

const mistakeOf = ([variable, , message]: Former): Mistake => ({ variable, message });
