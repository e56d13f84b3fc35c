import { rowProjection } from '@junction/eventsourcing/postgres';
import { foldOf, operationsOf, operatorJournal } from '@junction/operations';
import { defineService } from '@junction/service';
import { AUTH_TOPIC, keyCaller } from '@junction/service/callers';
import { migrations } from '../migrations/index.js';
import { authGrpc } from './adapters/grpc/auth-service.js';
import { operatorRoutes } from './adapters/http/operators/operator-routes.js';
import { routes } from './adapters/http/routes.js';
import { ERASURE_TOPICS, onErasures } from './adapters/kafka/erasures.js';
import { onOwnEvents } from './adapters/kafka/lost-ends.js';
import { AUTH_SOURCE, publishAuthEvent } from './adapters/kafka/publication.js';
import {
  type HearNews,
  onTroubleNews,
  TROUBLE_TOPICS,
  WEBHOOKS_TOPIC,
} from './adapters/kafka/trouble-news.js';
import { type HearWebhooks, onWebhookNews } from './adapters/kafka/webhook-news.js';
import { recordErased } from './adapters/postgres/deletion/deletion-receipts.js';
import { eventCodec } from './adapters/postgres/event-codec.js';
import { waitingMails } from './adapters/postgres/mail/mail-queue.js';
import { ringColumns } from './adapters/postgres/ring-columns.js';
import { tablesOn } from './adapters/postgres/tables.js';
import { troubleTable } from './adapters/postgres/trouble/troubles.js';
import { tablesWithin } from './adapters/postgres/unit-of-work.js';
import { mailServer } from './adapters/smtp/mailer.js';
import { type Application, application } from './application/application.js';
import type { Ports } from './application/ports.js';
import { type Config, loadConfig, settings } from './config.js';
import { apiKeyDecider } from './domain/api-key/decider.js';
import type { AuthEvent } from './domain/auth-event.js';
import { clientDecider } from './domain/client/decider.js';
import { sessionDecider } from './domain/session/decider.js';
import { signingKeyDecider } from './domain/signing-key/decider.js';
import { userDecider } from './domain/user/decider.js';
import { openCredentials } from './parts/credentials.js';
import { MAILS, startMail } from './parts/mail.js';
import { type AuthPlatform, now, randomness } from './parts/platform.js';
import { openKeys, SIGNING_KEYS } from './parts/signing-key.js';
import { apiKeys } from './projections/api-keys.js';
import { clients } from './projections/clients.js';
import { sessions } from './projections/sessions.js';
import { users } from './projections/users.js';

const SECOND_MS = 1_000;
const HOUR_MS = 3_600 * SECOND_MS;

const SILENT =
  'a trusted issuer does not give its keys; after an hour of that the API keys of its users are refused';

/** Accounts, sessions, API keys and tokens. */
export const service = defineService<Config, AuthEvent>({
  name: 'auth',
  config: loadConfig,
  settings,
  migrations,
  databaseVariable: 'AUTH_DATABASE_URL',
  operations: operationsOf({
    folds: {
      user: foldOf(userDecider),
      session: foldOf(sessionDecider),
      api_key: foldOf(apiKeyDecider),
      client: foldOf(clientDecider),
      signing_key: foldOf(signingKeyDecider),
    },
    checks: ({ mail }, pool) => [mailServer(mail), waitingMails(pool)],
  }),
  sealedColumns: ringColumns,
  streams: {
    codec: eventCodec,
    source: AUTH_SOURCE,
    topic: AUTH_TOPIC,
    publish: publishAuthEvent,
    // Rows that others point at come first.
    inline: [
      rowProjection(users),
      rowProjection(sessions),
      rowProjection(apiKeys),
      rowProjection(clients),
    ],
  },

  topics: {
    consumed: {
      erasures: ERASURE_TOPICS,
      'lost-ends': [AUTH_TOPIC],
      troubles: TROUBLE_TOPICS,
      webhooks: [WEBHOOKS_TOPIC],
    },
    produced: [AUTH_TOPIC],
  },

  async parts(platform) {
    const { config, log, notifier, pool, ring, sealing, store, vault } = platform;
    const after = {
      events: platform.committed,
      mail: () => notifier.notify(MAILS),
      signingKey: () => notifier.notify(SIGNING_KEYS),
    };
    const isMailOpen = config.mail !== undefined;
    const tables = tablesOn({ pool, store, ring, vault, isMailOpen, after });
    const keys = await openKeys(platform, tables);
    const credentials = await openCredentials(platform, keys);
    const ports: Ports = { ...tables, ...credentials, ...randomness, now };
    const app = application(ports, config);
    const onTroubles = startMail(platform, ports);
    startJobs(platform, app);

    const apiKey = async (key: string) => {
      const holder = await app.holderOf(key);
      return holder && keyCaller(holder);
    };
    const { ensureUser, isRevoked: revoked } = app;
    const hearNews: HearNews = async (tx, news) => app.hearNews(troubleTable(tx, ring), news);
    const hearWebhooks: HearWebhooks = async (tx, news) => {
      await app.hearWebhooks(
        tablesWithin(tx, { vault, ring, isMailOpen }, () => {}),
        news,
      );
      return after.mail;
    };
    // The first report of a service is kept.
    const consumer = { dropDuplicates: false };
    return {
      callers: { keys: keys.verificationKey, apiKey, ensureUser, revoked },
      consumers: [
        { ...consumer, name: 'erasures', handle: onErasures(recordErased) },
        { ...consumer, name: 'lost-ends', handle: onOwnEvents(app) },
        { ...consumer, name: 'troubles', handle: onTroubleNews(hearNews, onTroubles) },
        { dropDuplicates: true, name: 'webhooks', handle: onWebhookNews(hearWebhooks) },
      ],
      routes: routes({ app, pool, keys, config, log, sealing }),
      operators: operatorRoutes({ app, pool, journal: operatorJournal(platform) }),
      grpc: [authGrpc(app, log)],
    };
  },
});

/** Starts the work that nobody asks for. */
function startJobs({ job, log }: AuthPlatform, app: Application): void {
  job('successors', 5 * SECOND_MS, app.deleteSuccessors);
  job('expired sessions', 60 * SECOND_MS, app.endExpiredSessions);
  job('ended counts', 60 * SECOND_MS, app.deleteEndedCounts);
  job('api key uses', 10 * SECOND_MS, app.writeApiKeyUses);
  job('closed accounts', 60 * SECOND_MS, app.endClosedAccounts);
  job('deletion receipts', HOUR_MS, app.purgeReceipts);
  job('account changes', 60 * SECOND_MS, app.deleteEndedChanges);
  job('ended troubles', HOUR_MS, app.purgeTroubles);
  job('signing key rotation', HOUR_MS, app.rotateOnSchedule);
  const hearIssuers = async () =>
    app.hearIssuers((issuer, err) => log.warn({ err, issuer }, SILENT));
  // After an outage of auth itself the keys of their users wait for this.
  job('trusted issuers', 300 * SECOND_MS, hearIssuers).wake();
}
