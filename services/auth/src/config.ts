import {
  AT_ONCE,
  commonConfig,
  commonEnvironment,
  databaseUrlFile,
  isDevelopment,
  list,
  parseConfig,
  port,
  postgresUrl,
  serverUrl,
  trueOrFalse,
  trusting,
} from '@junction/service/process';
import { z } from 'zod';

const SECOND_MS = 1_000;
const MINUTE_S = 60;
const DAY_S = 24 * 60 * MINUTE_S;
/** Time in which a refresh token that was used may come again, as after a lost answer. */
const REUSE_WINDOW_MS = 10 * SECOND_MS;
const HTTP_PORT = 7_001;
const GRPC_PORT = 7_101;

const positive = z.coerce.number<string>().int().positive();

/** Compared to the letter, and part of a policy of the gateway: host and port, and nothing that could widen it. */
const origins = list.pipe(
  z.array(
    z
      .string()
      .regex(
        /^https?:\/\/[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?$/,
        'must be origins such as https://app.example.com, without wildcard, path or slash at the end',
      ),
  ),
);

const LIMITS = 'account=10/900,network=100/900,registration=1000/600';
const LIMIT = /^(?:account|network|registration)=(\d{1,9})\/(\d{1,5})$/;

const signInLimits = list
  .prefault(LIMITS)
  .pipe(z.array(z.string().refine(isLimit, `must be a part such as those of ${LIMITS}`)))
  .transform((given) => {
    const parts = [...LIMITS.split(','), ...given];
    const of = (name: string) => limitOf(parts.findLast((part) => part.startsWith(`${name}=`)));
    return {
      loginOfAccount: of('account'),
      loginOfNetwork: of('network'),
      registration: of('registration'),
    };
  });

function isLimit(part: string): boolean {
  const { points, windowS } = limitOf(part);
  return points > 0 && windowS > 0 && windowS <= DAY_S;
}

function limitOf(part = '') {
  const [, points, windowS] = LIMIT.exec(part) ?? [];
  return { points: Number(points), windowS: Number(windowS) };
}

/** Each variable with its meaning, as docs/configuration.md has it. */
export const settings = z.object({
  ...commonEnvironment,
  HTTP_PORT: port.default(HTTP_PORT).describe('port of HTTP'),
  GRPC_PORT: port.default(GRPC_PORT).describe('port of gRPC'),
  AUTH_DATABASE_URL: postgresUrl.describe('postgres:// URL of its own database'),
  AUTH_DATABASE_URL_FILE: databaseUrlFile,
  SERVICE_ACCOUNTS_FILE: z
    .string()
    .describe('JSON: who may ask for which tokens (services/auth/README.md)'),
  TRUSTED_PROXIES: list
    .prefault('loopback')
    .describe(
      'addresses, networks or names of networks, comma-separated, whose X-Forwarded-For is believed: the gateway, and nobody else',
    ),
  ACCESS_TOKEN_TTL_S: positive
    .max(10 * MINUTE_S)
    .default(10 * MINUTE_S)
    .describe(
      'seconds that an access token is good; other services keep a revocation for 15 minutes, so 600 at most',
    ),
  REFRESH_TOKEN_TTL_S: positive
    .max(365 * DAY_S)
    .default(30 * DAY_S)
    .describe('seconds that a refresh token is good, a year at most'),
  SIGNING_KEY_ROTATION_DAYS: positive
    .max(3_650)
    .default(90)
    .describe('days after which another key signs tokens'),
  SMTP_URL: serverUrl(/^smtps?$/, 'must be an smtps:// URL')
    .optional()
    .describe('`smtps://user:password@host:465` of the mail server; absent: no mail is sent'),
  MAIL_FROM: z
    .string()
    .regex(/@/, 'must hold an address')
    .optional()
    .describe('sender of mail; absent: no-reply at the host of PUBLIC_URL'),
  REQUIRE_VERIFIED_EMAIL: trueOrFalse
    .optional()
    .describe(
      '`true` or `false`: whether accounts make API keys and connect accounts only once their address is verified; needs SMTP_URL; absent: `true`, and with JUNCTION_ENV=development `false`',
    ),
  PORTAL_ORIGINS: origins
    .default([])
    .describe(
      'origins, comma-separated, whose pages may show the webhook pages in a frame; the gateway has to know them too',
    ),
  SIGN_IN_LIMITS: signInLimits
    .meta(AT_ONCE)
    .describe(
      'number in so many seconds, a day at most: `account`, failed logins of an account, or proofs of a client, from one network; `network`, the same of all accounts; `registration`, registrations from a network, of which a taken address costs a tenth. Of IPv6 a /64 is one network, a /56 may have twice as many, a /48 four times. A part that is left out keeps its default',
    ),
});

const environment = settings.transform((env, context) => ({
  ...commonConfig(env),
  databaseUrl: trusting(env.AUTH_DATABASE_URL, env.DATABASE_TLS_CA_FILE),
  databaseUrlFile: env.AUTH_DATABASE_URL_FILE,
  serviceAccountsFile: env.SERVICE_ACCOUNTS_FILE,
  trustedProxies: env.TRUSTED_PROXIES,
  accessTokenTtlS: env.ACCESS_TOKEN_TTL_S,
  refreshTokenTtlMs: env.REFRESH_TOKEN_TTL_S * SECOND_MS,
  reuseWindowMs: REUSE_WINDOW_MS,
  mail: mailOf(env),
  requireVerifiedEmail: requireVerifiedEmailOf(env, context),
  portalOrigins: portalOriginsOf(env, context),
  signingKeyRotationMs: env.SIGNING_KEY_ROTATION_DAYS * DAY_S * SECOND_MS,
  limits: env.SIGN_IN_LIMITS,
}));

/** A page over http:// can be changed on its way, and with it what it frames. */
function portalOriginsOf(
  env: PortalEnvironment,
  context: z.core.$RefinementCtx,
): readonly string[] {
  const { PORTAL_ORIGINS: origins } = env;
  if (!isDevelopment(env) && origins.some((origin) => !origin.startsWith('https://'))) {
    const message = 'must be https:// (http:// needs JUNCTION_ENV=development)';
    context.addIssue({ code: 'custom', path: ['PORTAL_ORIGINS'], message, input: origins });
  }
  return origins;
}

type PortalEnvironment = Pick<z.output<typeof settings>, 'PORTAL_ORIGINS' | 'JUNCTION_ENV'>;

function mailOf({ SMTP_URL: smtpUrl, MAIL_FROM, PUBLIC_URL, JUNCTION_ENV }: MailEnvironment) {
  const from = MAIL_FROM ?? `Junction <no-reply@${new URL(PUBLIC_URL).hostname}>`;
  return smtpUrl === undefined
    ? undefined
    : { smtpUrl, from, requireTls: JUNCTION_ENV !== 'development' };
}

/** A service that starts all the same would let nobody make a key or connect an account. */
function requireVerifiedEmailOf(
  { REQUIRE_VERIFIED_EMAIL, SMTP_URL: smtpUrl, JUNCTION_ENV }: VerificationEnvironment,
  context: z.core.$RefinementCtx,
): boolean {
  const byDefault = JUNCTION_ENV === 'development' ? 'false' : 'true';
  const isRequired = (REQUIRE_VERIFIED_EMAIL ?? byDefault) === 'true';
  if (isRequired && smtpUrl === undefined) {
    // Without a path, because a variable that is not set would be called missing, and nothing else be said.
    const message =
      'REQUIRE_VERIFIED_EMAIL is on (as it is outside development, unless it is set), and nobody can verify an address without SMTP_URL: set SMTP_URL, or REQUIRE_VERIFIED_EMAIL=false';
    context.addIssue({ code: 'custom', message, input: REQUIRE_VERIFIED_EMAIL });
  }
  return isRequired;
}

type VerificationEnvironment = Pick<
  z.output<typeof settings>,
  'REQUIRE_VERIFIED_EMAIL' | 'SMTP_URL' | 'JUNCTION_ENV'
>;

interface MailEnvironment {
  readonly SMTP_URL?: string | undefined;
  readonly MAIL_FROM?: string | undefined;
  readonly PUBLIC_URL: string;
  readonly JUNCTION_ENV: string;
}

export interface Config extends Readonly<z.infer<typeof environment>> {
  /** Reads the variable that `env:NAME` in TRUSTED_ISSUERS_FILE names. */
  readonly variable: (name: string) => string | undefined;
}

/** Names every mistake at once. */
export const loadConfig = (env: NodeJS.ProcessEnv): Config => ({
  ...parseConfig(environment, env),
  variable: (name) => env[name],
});
