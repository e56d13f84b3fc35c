import {
  AT_ONCE,
  authClientEnvironment,
  commonConfig,
  commonEnvironment,
  databaseUrlFile,
  isDevelopment,
  list,
  parseConfig,
  port,
  postgresUrl,
  proxyUrl,
  trueOrFalse,
  trusting,
} from '@junction/service/process';
import { z } from 'zod';
import { RETRY_DELAYS_MS } from './domain/delivery/retry-policy.js';

const SECOND_MS = 1_000;
const DAY_S = 86_400;
const RETRIES_MAX = 20;
/**
 * Fewest days of retention: a retry may be due four days after its event, and an event that comes again is known for
 * seven.
 */
const RETENTION_DAYS_MIN = 7;
const RETENTION_DAYS_MAX = 3_650;
const SEEN_EVENT_DAYS = 7;
/** Webhooks that a user may have at most, since each event of the user is matched with all of them. */
const WEBHOOKS_PER_USER_MAX = 1_000;
const HTTP_PORT = 7_003;
const GRPC_PORT = 7_103;

const seconds = z.coerce.number<string>().positive().max(DAY_S);

/** Environment variables, each with its meaning, as docs/configuration.md has it. */
export const settings = z.object({
  ...commonEnvironment,
  ...authClientEnvironment,
  HTTP_PORT: port.default(HTTP_PORT).describe('port of HTTP'),
  GRPC_PORT: port.default(GRPC_PORT).describe('port of gRPC'),
  WEBHOOKS_DATABASE_URL: postgresUrl.describe('postgres:// URL of its own database'),
  WEBHOOKS_DATABASE_URL_FILE: databaseUrlFile,
  EVENT_TYPES_FILE: z
    .string()
    .optional()
    .describe(
      "YAML: the platform's own kinds of event; infra/event-types.example.yaml explains it; absent: none",
    ),
  WEBHOOK_ALLOW_PRIVATE_TARGETS: trueOrFalse
    .optional()
    .describe(
      'webhooks to private addresses and to http://, which only JUNCTION_ENV=development may have; absent: `true` there, so that `false` brings the rules of production',
    ),
  WEBHOOK_CA_FILE: z
    .string()
    .optional()
    .describe('PEM of authorities that may sign receivers besides the public ones'),
  WEBHOOK_EGRESS_PROXY: proxyUrl
    .optional()
    .describe(
      'http(s):// URL of a proxy that every request to a receiver goes through by CONNECT; absent: none',
    ),
  WEBHOOK_RETRY_SCHEDULE_S: list
    .pipe(z.array(seconds).max(RETRIES_MAX))
    .optional()
    .describe(
      'seconds before each retry, comma-separated, at most 20; absent: the schedule of docs/webhooks/operations.md',
    )
    .meta(AT_ONCE),
  WEBHOOK_BREAKER_RESET_S: seconds
    .default(30)
    .describe('seconds that an open circuit waits before its first probe')
    .meta(AT_ONCE),
  WEBHOOK_ATTEMPT_TIMEOUT_S: seconds
    .max(60)
    .default(15)
    .describe("seconds of a whole attempt, the answer's body included; 60 at most")
    .meta(AT_ONCE),
  WEBHOOKS_PER_USER_MAX: z.coerce
    .number<string>()
    .int()
    .min(1)
    .max(WEBHOOKS_PER_USER_MAX)
    .default(50)
    .describe('webhooks of a user; 1000 at most')
    .meta(AT_ONCE),
  RETENTION_DAYS: z.coerce
    .number<string>()
    .int()
    .min(RETENTION_DAYS_MIN)
    .max(RETENTION_DAYS_MAX)
    .default(30)
    .describe(
      'days, 7 to 3650, for which what was delivered, and how, can be looked at and sent again',
    ),
});

const environment = settings.transform((env) => ({
  ...commonConfig(env),
  databaseUrl: trusting(env.WEBHOOKS_DATABASE_URL, env.DATABASE_TLS_CA_FILE),
  databaseUrlFile: env.WEBHOOKS_DATABASE_URL_FILE,
  auth: {
    jwksUrl: env.AUTH_JWKS_URL,
    tokenUrl: env.AUTH_TOKEN_URL,
    grpcAddress: env.AUTH_GRPC_ADDRESS,
    clientId: env.SERVICE_CLIENT_ID,
    clientSecret: env.SERVICE_CLIENT_SECRET,
  },
  allowPrivateTargets: isDevelopment(env) && env.WEBHOOK_ALLOW_PRIVATE_TARGETS !== 'false',
  eventTypesFile: env.EVENT_TYPES_FILE,
  receiverCaFile: env.WEBHOOK_CA_FILE,
  egressProxy: env.WEBHOOK_EGRESS_PROXY,
  retry: {
    delaysMs: env.WEBHOOK_RETRY_SCHEDULE_S?.map((delay) => delay * SECOND_MS) ?? RETRY_DELAYS_MS,
  },
  breakerResetMs: env.WEBHOOK_BREAKER_RESET_S * SECOND_MS,
  webhooksPerUserMax: env.WEBHOOKS_PER_USER_MAX,
  retention: { days: env.RETENTION_DAYS, seenEventDays: SEEN_EVENT_DAYS },
  attemptTimeoutMs: env.WEBHOOK_ATTEMPT_TIMEOUT_S * SECOND_MS,
}));

export type Config = Readonly<z.infer<typeof environment>>;

/** Parses the environment, and names every mistake at once. */
export const loadConfig = (env: NodeJS.ProcessEnv): Config => parseConfig(environment, env);
