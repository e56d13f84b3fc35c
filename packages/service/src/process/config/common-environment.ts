import { z } from 'zod';
import { kafkaConfig, kafkaEnvironment } from './kafka-environment.js';
import { parseConfig } from './parse-config.js';
import { trustedIssuers } from './trusted-issuers.js';
import {
  AT_ONCE,
  flag,
  httpUrl,
  isDevelopment,
  isGrpcPlaintext,
  isKafkaPlaintext,
  port,
  postgresUrl,
  proxyUrl,
  trusting,
} from './variables.js';

const TRACED_RATIO = 0.01;
const STOP_DELAY_MS = 3_000;
const STOP_DELAY_MAX_MS = 60_000;
const API_LIMIT = 1_000;
const POOL_MAX = 20;
/** With fewer, what waits for a lock would keep out what holds it. */
const POOL_MAX_MIN = 4;
const POOL_MAX_MAX = 200;
const API_LIMIT_MAX = 1_000_000;

/** Variables that `@junction/telemetry/register` reads before anything else, listed here so that mistakes are named. */
const tracing = {
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl
    .optional()
    .describe(
      'URL at which a collector takes traces by OTLP over HTTP, for instance `http://collector:4318`; absent: none are made. OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES, OTEL_EXPORTER_OTLP_CERTIFICATE and the other variables of OpenTelemetry count as well',
    ),
  OTEL_EXPORTER_OTLP_HEADERS: z
    .string()
    .optional()
    .describe('headers for the collector, `name=value`, comma-separated'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number<string>()
    .min(0)
    .max(1)
    .default(TRACED_RATIO)
    .describe(
      'the part of traces beginning here that is recorded, 0 to 1; of those that begin at a caller or a producer, that side decides',
    ),
};

/** Proxies of calls to servers that operators have named; receivers are called by WEBHOOK_EGRESS_PROXY. */
const proxies = {
  HTTPS_PROXY: proxyUrl
    .optional()
    .describe(
      'http(s):// URL of a proxy that identity providers and trusted issuers are called through by CONNECT; absent: HTTP_PROXY. Receivers of webhooks are called by WEBHOOK_EGRESS_PROXY alone',
    ),
  HTTP_PROXY: proxyUrl.optional().describe('the same for those on http://; absent: none'),
  NO_PROXY: z
    .string()
    .optional()
    .describe(
      'hosts, with the names below them, that are called directly, comma-separated, `host:port` for one port, `*` for all; this machine always is',
    ),
};

/**
 * The variables every service reads, as a zod shape to spread into its own:
 * `z.object({ ...commonEnvironment, HTTP_PORT: port.default(7002), … })`.
 */
export const commonEnvironment = {
  SETTINGS_FILE: z
    .string()
    .optional()
    .describe('file of settings, `NAME=value` on each line, that is followed (above)'),
  JUNCTION_ENV: z
    .string()
    .default('production')
    .describe(
      '`development` allows http:// for PUBLIC_URL on localhost, for issuers and for token endpoints, gRPC and Kafka without TLS where no file of GRPC_TLS or KAFKA_SSL is named, gRPC reflection, webhooks to private addresses, and default secrets; nothing else does',
    ),
  LOG_LEVEL: z
    .enum(['debug', 'info', 'warn', 'error'])
    .default('info')
    .describe('least level that is logged: `debug`, `info`, `warn` or `error`')
    .meta(AT_ONCE),
  STOP_DELAY_MS: z.coerce
    .number<string>()
    .int()
    .min(0)
    .max(STOP_DELAY_MAX_MS)
    .default(STOP_DELAY_MS)
    .describe(
      'milliseconds that a service which is told to stop goes on serving, not ready any more; longer than a balancer takes to notice, and keeps an idle connection; 60000 at most',
    ),
  API_LIMIT_PER_CALLER: z.coerce
    .number<string>()
    .int()
    .min(1)
    .max(API_LIMIT_MAX)
    .default(API_LIMIT)
    .describe(
      'requests in ten seconds of each user and each API key, over all replicas; a route that costs more counts for several',
    )
    .meta(AT_ONCE),
  DATABASE_POOL_MAX: z.coerce
    .number<string>()
    .int()
    .min(POOL_MAX_MIN)
    .max(POOL_MAX_MAX)
    .default(POOL_MAX)
    .describe(
      'connections to Postgres at most for requests and deliveries, of each replica; requests hold at most half of them. It has up to a fifth as many more for keys (at least 2), 2 for operators and 1 for notifications',
    ),
  DATABASE_TLS_CA_FILE: z
    .string()
    .optional()
    .describe(
      'PEM of the authorities of the certificate of Postgres; with it connections are by TLS and checked, whatever the URL says',
    ),
  HTTP_HOST: z.string().default('127.0.0.1').describe('address that HTTP listens on'),
  HTTP_PORT: port,
  GRPC_HOST: z.string().default('127.0.0.1').describe('address that gRPC listens on'),
  GRPC_PORT: port,
  GRPC_TLS_CERT_FILE: z
    .string()
    .optional()
    .describe(
      'PEM of the certificate of the gRPC server; needed unless JUNCTION_ENV=development. It, its key and the authorities are read again when they change',
    ),
  GRPC_TLS_KEY_FILE: z.string().optional().describe('PEM of its key; the two go together'),
  GRPC_TLS_CA_FILE: z
    .string()
    .optional()
    .describe("PEM of the authorities that calls to other services trust; absent: the system's"),
  GRPC_MUTUAL_TLS: flag.describe(
    'the gRPC server lets nobody in without a certificate of GRPC_TLS_CA_FILE, and calls to other services show GRPC_TLS_CERT_FILE',
  ),
  ...kafkaEnvironment,
  PUBLIC_URL: httpUrl.describe(
    'URL at which the product is reached: issuer of every token; redirect URIs are below it',
  ),
  VAULT_KEYS: z
    .string()
    .describe(
      'key ring, `id:<32 bytes, base64url>`, comma-separated, the newest first, or `exec:["program", "argument"]` that prints it (packages/vault)',
    ),
  VAULT_KEYS_FILE: z
    .string()
    .optional()
    .describe('file that holds VAULT_KEYS, in its place; read again when it changes'),
  TRUSTED_ISSUERS_FILE: trustedIssuers
    .default([])
    .describe(
      'YAML: whose users need no account of ours; infra/trusted-issuers.example.yaml explains it',
    ),
  ...proxies,
  ...tracing,
};

/** Variables that a service needs to call auth and to verify auth's tokens. */
export const authClientEnvironment = {
  AUTH_JWKS_URL: httpUrl.describe('URL of the keys that verify tokens'),
  AUTH_TOKEN_URL: httpUrl.describe('URL at which the service gets its own tokens'),
  AUTH_GRPC_ADDRESS: z
    .string()
    .regex(/(?<!:0+)$/, 'must not have port 0')
    .describe('address at which auth is asked about API keys: `host:port` or `dns:///host:port`'),
  SERVICE_CLIENT_ID: z.string().describe('the service at auth'),
  SERVICE_CLIENT_SECRET: z.string().describe('secret of the service there'),
};

const common = z.object(commonEnvironment);

/**
 * Returns the reader of what commands for a service's database need: its URL, in this variable, the authorities of
 * Postgres and the level of the log. A Job has no more.
 */
export function databaseConfig(variable: string) {
  const { LOG_LEVEL, DATABASE_TLS_CA_FILE } = commonEnvironment;
  const url = z.object({ [variable]: postgresUrl });
  const schema = z.object({ LOG_LEVEL, DATABASE_TLS_CA_FILE }).and(url);
  return (env: NodeJS.ProcessEnv) => {
    const { LOG_LEVEL: logLevel, DATABASE_TLS_CA_FILE: caFile, ...read } = parseConfig(schema, env);
    return { logLevel, databaseUrl: trusting(read[variable] ?? '', caFile) };
  };
}

/** Files of gRPC certificates, or plaintext. */
export type GrpcSecurity =
  | { readonly plaintext: true }
  | {
      readonly plaintext: false;
      readonly certFile?: string | undefined;
      readonly keyFile?: string | undefined;
      /** Authorities that a client trusts; absent: the system's authorities. */
      readonly caFile?: string | undefined;
      /** Makes servers require a certificate of these authorities, and clients show theirs. */
      readonly mutual?: boolean;
    };

export type CommonConfig = ReturnType<typeof commonConfig>;

/** Returns the common variables under the names and shapes that the code uses. Call it in the schema's transform. */
export const commonConfig = (env: z.infer<typeof common>) => ({
  environment: env.JUNCTION_ENV,
  logLevel: env.LOG_LEVEL,
  stopDelayMs: env.STOP_DELAY_MS,
  databasePoolMax: env.DATABASE_POOL_MAX,
  apiLimitPerCaller: env.API_LIMIT_PER_CALLER,
  http: { host: env.HTTP_HOST, port: env.HTTP_PORT },
  grpc: { host: env.GRPC_HOST, port: env.GRPC_PORT },
  grpcSecurity: grpcSecurity(env),
  grpcReflection: isDevelopment(env),
  kafka: { ...kafkaConfig(env), plaintext: isKafkaPlaintext(env) },
  /** Public URL without a trailing slash: it is the issuer, and issuers are compared as strings. */
  publicUrl: env.PUBLIC_URL.replace(/\/+$/, ''),
  vaultKeys: env.VAULT_KEYS,
  /** File that `vaultKeys` came from, to be read again. */
  vaultKeysFile: env.VAULT_KEYS_FILE,
  trustedIssuers: env.TRUSTED_ISSUERS_FILE,
  proxies: { httpProxy: env.HTTP_PROXY, httpsProxy: env.HTTPS_PROXY, noProxy: env.NO_PROXY },
  otlpEndpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT,
  allowHttpIssuer: isDevelopment(env),
});

const grpcSecurity = (env: z.infer<typeof common>): GrpcSecurity =>
  isGrpcPlaintext(env)
    ? { plaintext: true }
    : {
        plaintext: false,
        certFile: env.GRPC_TLS_CERT_FILE,
        keyFile: env.GRPC_TLS_KEY_FILE,
        caFile: env.GRPC_TLS_CA_FILE,
        mutual: env.GRPC_MUTUAL_TLS,
      };
