import { z } from 'zod';
import { trustedIssuers } from './trusted-issuers.js';
import { httpUrl, list, port, unsafePermissions } from './variables.js';

const STOP_DELAY_MS = 3_000;
const STOP_DELAY_MAX_MS = 60_000;
const API_LIMIT = 1_000;
const API_LIMIT_MAX = 1_000_000;

/**
 * The variables every service reads, as a zod shape to spread into its own:
 * `z.object({ ...commonEnvironment, HTTP_PORT: port.default(7002), … })`.
 */
export const commonEnvironment = {
  JUNCTION_ENV: z.string().default('production'),
  LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error']).default('info'),
  // Longer than a balancer takes to notice that readiness is gone, and keeps an idle connection.
  STOP_DELAY_MS: z.coerce
    .number<string>()
    .int()
    .min(0)
    .max(STOP_DELAY_MAX_MS)
    .default(STOP_DELAY_MS),
  // In ten seconds, of each user and each API key, by each replica.
  API_LIMIT_PER_CALLER: z.coerce
    .number<string>()
    .int()
    .min(1)
    .max(API_LIMIT_MAX)
    .default(API_LIMIT),
  HTTP_HOST: z.string().default('127.0.0.1'),
  HTTP_PORT: port,
  GRPC_HOST: z.string().default('127.0.0.1'),
  GRPC_PORT: port,
  GRPC_TLS_CERT_FILE: z.string().optional(),
  GRPC_TLS_KEY_FILE: z.string().optional(),
  GRPC_TLS_CA_FILE: z.string().optional(),
  KAFKA_BROKERS: list,
  KAFKA_TOPIC_PREFIX: z.string().max(64).default(''),
  KAFKA_SSL_CA_FILE: z.string().optional(),
  KAFKA_SASL_MECHANISM: z.enum(['plain', 'scram-sha-256', 'scram-sha-512']).optional(),
  KAFKA_SASL_USERNAME: z.string().optional(),
  KAFKA_SASL_PASSWORD: z.string().optional(),
  PUBLIC_URL: httpUrl,
  VAULT_KEYS: z.string(),
  // Whose users need no account of ours. infra/trusted-issuers.example.yaml explains it.
  TRUSTED_ISSUERS_FILE: trustedIssuers.default([]),
  ...unsafePermissions,
};

/** What a service needs to be known to auth, and to know whom auth has let in. */
export const authClientEnvironment = {
  AUTH_JWKS_URL: httpUrl,
  AUTH_TOKEN_URL: httpUrl,
  AUTH_GRPC_ADDRESS: z.string(),
  SERVICE_CLIENT_ID: z.string(),
  SERVICE_CLIENT_SECRET: z.string(),
};

const common = z.object(commonEnvironment);

/** Where gRPC certificates lie, or that there are none. */
export type GrpcSecurity =
  | { readonly plaintext: true }
  | {
      readonly plaintext: false;
      readonly certFile?: string | undefined;
      readonly keyFile?: string | undefined;
      /** Whom a client believes; absent: the system's authorities. */
      readonly caFile?: string | undefined;
    };

export type CommonConfig = ReturnType<typeof commonConfig>;

/** The common variables under the names and shapes the code uses. Call it in the schema's transform. */
export const commonConfig = (env: z.infer<typeof common>) => ({
  environment: env.JUNCTION_ENV,
  logLevel: env.LOG_LEVEL,
  stopDelayMs: env.STOP_DELAY_MS,
  apiLimitPerCaller: env.API_LIMIT_PER_CALLER,
  http: { host: env.HTTP_HOST, port: env.HTTP_PORT },
  grpc: { host: env.GRPC_HOST, port: env.GRPC_PORT },
  grpcSecurity: grpcSecurity(env),
  grpcReflection: env.GRPC_REFLECTION,
  kafka: {
    brokers: env.KAFKA_BROKERS,
    topicPrefix: env.KAFKA_TOPIC_PREFIX,
    plaintext: env.KAFKA_PLAINTEXT,
    caFile: env.KAFKA_SSL_CA_FILE,
    sasl: sasl(env),
  },
  /** Without a trailing slash: it is the issuer, and issuers are compared as strings. */
  publicUrl: env.PUBLIC_URL.replace(/\/+$/, ''),
  vaultKeys: env.VAULT_KEYS,
  trustedIssuers: env.TRUSTED_ISSUERS_FILE,
  allowHttpIssuer: env.ALLOW_HTTP_ISSUER,
  allowPrivateTargets: env.WEBHOOK_ALLOW_PRIVATE_TARGETS,
  devMailbox: env.DEV_MAILBOX,
});

const grpcSecurity = (env: z.infer<typeof common>): GrpcSecurity =>
  env.GRPC_PLAINTEXT
    ? { plaintext: true }
    : {
        plaintext: false,
        certFile: env.GRPC_TLS_CERT_FILE,
        keyFile: env.GRPC_TLS_KEY_FILE,
        caFile: env.GRPC_TLS_CA_FILE,
      };

function sasl(env: z.infer<typeof common>) {
  const {
    KAFKA_SASL_MECHANISM: mechanism,
    KAFKA_SASL_USERNAME: username,
    KAFKA_SASL_PASSWORD: password,
  } = env;
  if (mechanism === undefined || username === undefined || password === undefined) return undefined;
  return { mechanism, username, password };
}
