import { randomBytes, randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { AuthServiceService, newId, SERVICE_SCOPES } from '@junction/contracts';
import { rowProjection } from '@junction/eventsourcing/postgres';
import { type ConsumerDefinition, defineService, type Platform } from '@junction/service';
import { AUTH_TOPIC, keyCaller } from '@junction/service/callers';
import type { Caller } from '@junction/service/http';
import { foldOf } from '@junction/service/operators';
import { migrations } from '../migrations/index.js';
import { passwordHasher } from './adapters/argon2/password-hasher.js';
import { readServiceAccounts } from './adapters/files/read-service-accounts.js';
import { authService } from './adapters/grpc/auth-service.js';
import { browserCookies } from './adapters/http/browser-cookies.js';
import { operatorRoutes } from './adapters/http/operators/operator-routes.js';
import { routes } from './adapters/http/routes.js';
import { accessTokens } from './adapters/jwt/access-tokens.js';
import { clientAssertions } from './adapters/jwt/client-assertions.js';
import { foreignTokens } from './adapters/jwt/foreign-tokens.js';
import { type SigningKeys, signingKeys } from './adapters/jwt/signing-keys.js';
import { ERASURE_TOPICS, onErasures } from './adapters/kafka/erasures.js';
import { onOwnEvents } from './adapters/kafka/lost-ends.js';
import { AUTH_SOURCE, publishAuthEvent } from './adapters/kafka/publication.js';
import { issuerSignIns } from './adapters/oidc/issuer-sign-in.js';
import { recordErased } from './adapters/postgres/deletion/deletion-receipts.js';
import { eventCodec } from './adapters/postgres/event-codec.js';
import { postgresLimits } from './adapters/postgres/limits.js';
import { postgresUserDirectory } from './adapters/postgres/operators/user-directory.js';
import { ringColumns } from './adapters/postgres/ring-columns.js';
import { loadSigningKeys } from './adapters/postgres/signing-key/signing-key-store.js';
import { smtpMailer } from './adapters/smtp/mailer.js';
import { authenticatorCodes } from './adapters/totp/totp.js';
import { webAuthn } from './adapters/webauthn/webauthn.js';
import { type Application, application } from './application/application.js';
import { sendMails } from './application/mail/send-mails.js';
import type { Ports } from './application/ports.js';
import { declaredClients } from './application/service-accounts.js';
import { ensureSigningKey } from './application/signing-key/rotate-signing-keys.js';
import { type Config, loadConfig } from './config.js';
import { apiKeyDecider } from './domain/api-key/decider.js';
import type { AuthEvent } from './domain/auth-event.js';
import { clientDecider } from './domain/client/decider.js';
import { sessionDecider } from './domain/session/decider.js';
import { signingKeyDecider } from './domain/signing-key/decider.js';
import { userDecider } from './domain/user/decider.js';
import { doctorChecks } from './parts/doctor.js';
import { startJobs } from './parts/jobs.js';
import { measureAuth } from './parts/measures.js';
import { tablesOn } from './parts/tables.js';
import { apiKeys } from './projections/api-keys.js';
import { clients } from './projections/clients.js';
import { sessions } from './projections/sessions.js';
import { users } from './projections/users.js';

const WAITING_HASHES_MAX = 32;
const SIGNING_KEYS = 'signing_keys';
const MAILS = 'mails';
const MAIL_EVERY_MS = 5_000;

/** Accounts, sessions, API keys and tokens. */
export const service = defineService<Config, AuthEvent>({
  name: 'auth',
  config: loadConfig,
  migrations,
  doctor: doctorChecks,
  sealedColumns: ringColumns,
  streams: {
    codec: eventCodec,
    source: AUTH_SOURCE,
    publish: publishAuthEvent,
    // Rows that others point at come first.
    inline: [
      rowProjection(users),
      rowProjection(sessions),
      rowProjection(apiKeys),
      rowProjection(clients),
    ],
    folds: {
      user: foldOf(userDecider),
      session: foldOf(sessionDecider),
      api_key: foldOf(apiKeyDecider),
      client: foldOf(clientDecider),
      signing_key: foldOf(signingKeyDecider),
    },
  },

  topics: {
    consumed: { erasures: ERASURE_TOPICS, 'lost-ends': [AUTH_TOPIC] },
    produced: [AUTH_TOPIC],
  },

  async parts(platform) {
    const { config, log } = platform;
    const tables = openTables(platform);
    const keys = await openKeys(platform, tables);
    const ports = await portsOf(platform, tables, keys);
    const app = application(ports, config);
    openMail(platform, ports, measureAuth(platform.meter, platform.pool));
    startJobs(platform, app, keys);

    const apiKey = async (key: string): Promise<Caller | undefined> => {
      const holder = await app.holderOf(key);
      return holder && keyCaller(holder);
    };

    const { ensureUser, isRevoked } = app;
    const { refreshTokenTtlMs, publicUrl } = config;
    return {
      callers: { keys: keys.verificationKey, apiKey, ensureUser, revoked: isRevoked },
      consumers: consumersOf(app),
      routes: routes({
        app,
        keys,
        publicUrl,
        cookies: browserCookies(refreshTokenTtlMs),
        log,
        sealing: platform.sealing,
      }),
      operators: operatorRoutes({
        app,
        users: postgresUserDirectory(platform.pool),
        journal: platform.journal,
      }),
      grpc: [
        {
          definition: AuthServiceService,
          implementation: authService(app, log),
          scopes: {
            authenticate: SERVICE_SCOPES.verifyCredentials,
            ensureUser: SERVICE_SCOPES.verifyCredentials,
          },
        },
      ],
    };
  },
});

// Requests need neither consumer, so auth is ready while Kafka is away.
const consumersOf = (app: Application): readonly ConsumerDefinition[] => [
  {
    name: 'erasures',
    // The first report of a service is the one that is kept.
    dropDuplicates: false,
    handle: onErasures(recordErased),
    readyWithout: true,
  },
  { name: 'lost-ends', dropDuplicates: false, handle: onOwnEvents(app), readyWithout: true },
];

type AuthPlatform = Platform<Config, AuthEvent>;

type Tables = ReturnType<typeof tablesOn>;

const openTables = ({
  config,
  pool,
  store,
  ring,
  vault,
  committed,
  notifier,
}: AuthPlatform): Tables =>
  tablesOn({
    pool,
    store,
    ring,
    vault,
    isMailOpen: config.mail !== undefined,
    after: {
      events: committed,
      mail: () => notifier.notify(MAILS),
      signingKey: () => notifier.notify(SIGNING_KEYS),
    },
  });

async function openKeys(
  { pool, ring, notifier, log }: AuthPlatform,
  tables: Tables,
): Promise<SigningKeys> {
  await ensureSigningKey({ ...tables, now });
  const keys = await signingKeys(() => loadSigningKeys(pool, ring), now);
  notifier.listen(SIGNING_KEYS, () => {
    keys.reload().catch((err: unknown) => log.error({ err }, 'signing keys were not read again'));
  });
  return keys;
}

async function portsOf(platform: AuthPlatform, tables: Tables, keys: SigningKeys): Promise<Ports> {
  const { config, pool } = platform;
  const { publicUrl: issuer } = config;
  // Hashing takes whole cores. One stays free for everything else.
  const atOnceMax = Math.max(1, availableParallelism() - 1);
  return {
    ...tables,
    passwords: await passwordHasher({ atOnceMax, waitingMax: WAITING_HASHES_MAX }),
    limits: postgresLimits({ pool, ...config.limits }),
    accessTokens: accessTokensOf(config, keys),
    declaredClients: declaredClients(await readServiceAccounts(config.serviceAccountsFile)),
    totp: authenticatorCodes('Junction'),
    webAuthn: webAuthn(issuer),
    clientAssertions: clientAssertions({ issuer, now }),
    foreignTokens: foreignTokens(platform.foreignIssuers),
    issuerSignIns: issuerSignIns({
      issuers: config.trustedIssuers,
      publicUrl: issuer,
      variable: config.variable,
      fetch: platform.fetch,
    }),
    now,
    newUserId: randomUUID,
    newSessionId: () => newId('ses'),
    newKeyId: () => newId('key'),
    newClientId: () => newId('cli'),
    newPasskeyId: () => newId('pky'),
    random: randomBytes,
  };
}

const accessTokensOf = (
  { publicUrl: issuer, accessTokenTtlS: lifetimeS, requireVerifiedEmail }: Config,
  keys: SigningKeys,
) => accessTokens({ keys, issuer, lifetimeS, requireVerifiedEmail, now, uuid: randomUUID });

/** Starts the sending of mails; any replica may send a mail. Without an SMTP server there is nothing to send. */
function openMail(
  { config, closing, log, notifier, ...platform }: AuthPlatform,
  ports: Ports,
  counted: ReturnType<typeof measureAuth>,
): void {
  if (config.mail === undefined) return;
  const smtp = closing.add('smtp', smtpMailer(config.mail), (opened) => opened.close());
  const mailer = counted(smtp);
  const { publicUrl } = config;
  const onFailed = (err: unknown) => log.warn({ err }, 'a mail was not sent, and is tried again');
  const send = sendMails(ports, { mailer, publicUrl, onFailed });
  const job = platform.job('mails', MAIL_EVERY_MS, send);
  notifier.listen(MAILS, () => job.wake());
}

const now = (): Date => new Date();
