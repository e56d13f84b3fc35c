import { newId, USER_TOPIC } from '@junction/contracts';
import { inTurn } from '@junction/eventsourcing/postgres';
import { authChecks, foldOf, operationsOf, operatorJournal } from '@junction/operations';
import { callersByAuth, defineService } from '@junction/service';
import { AUTH_TOPIC, idempotencyColumns } from '@junction/service/callers';
import { newSecret } from '@junction/webhook-signing';
import { migrations } from '../migrations/index.js';
import { operatorRoutes } from './adapters/http/operators/operator-routes.js';
import { routes } from './adapters/http/routes.js';
import { ASSISTANT_TOPIC } from './adapters/kafka/assistant-events.js';
import {
  publishWebhookEvent,
  WEBHOOKS_SOURCE,
  WEBHOOKS_TOPIC,
} from './adapters/kafka/publication.js';
import { makeDailyPartitions } from './adapters/postgres/daily-partitions.js';
import { daysAhead } from './adapters/postgres/days-ahead.js';
import { purgePartitions, purgeRows } from './adapters/postgres/privacy/purge.js';
import { webhookKeyColumn } from './adapters/postgres/sending/webhook-keys.js';
import { tablesOn } from './adapters/postgres/tables.js';
import { webhookCodec } from './adapters/postgres/webhooks/event-codec.js';
import { webhookProjection } from './adapters/postgres/webhooks/webhook-projection.js';
import { purgeExpiredSecrets } from './adapters/postgres/webhooks/webhook-secrets.js';
import { egressProxyCheck } from './adapters/webhook/egress-proxy.js';
import { openFiles } from './adapters/webhook/open-files.js';
import { application } from './application/application.js';
import { searchRoom } from './application/history/search-room.js';
import type { Ports } from './application/ports.js';
import { deleteUsers } from './application/privacy/delete-users.js';
import { type Config, loadConfig, settings } from './config.js';
import { webhookDecider } from './domain/webhook/decider.js';
import type { WebhookEvent } from './domain/webhook/events.js';
import { checkEventTypes, openEventTypes } from './parts/event-types.js';
import { consumersOf, openPublishing } from './parts/intake.js';
import { type DispatcherPlatform, now } from './parts/platform.js';
import { startReplaying } from './parts/replaying.js';
import { startSending } from './parts/sending.js';
import { openWatching } from './parts/watching.js';
import { openWebhookKeys } from './parts/webhook-keys.js';

const SECOND_MS = 1_000;
const HOUR_MS = 3_600 * SECOND_MS;

/** Service of webhooks, their deliveries, and the requests that carry them. */
export const service = defineService<Config, WebhookEvent>({
  name: 'webhook-dispatcher',
  config: loadConfig,
  settings,
  check: checkEventTypes,
  migrations,
  databaseVariable: 'WEBHOOKS_DATABASE_URL',
  operations: operationsOf({
    folds: { webhook: foldOf(webhookDecider) },
    checks: (config, pool) => [
      ...authChecks(config),
      egressProxyCheck(config.egressProxy),
      daysAhead(pool),
      openFiles(),
    ],
  }),
  sealedColumns: [...idempotencyColumns, webhookKeyColumn],
  streams: {
    codec: webhookCodec,
    source: WEBHOOKS_SOURCE,
    topic: WEBHOOKS_TOPIC,
    publish: publishWebhookEvent,
    inline: [webhookProjection],
  },

  topics: {
    consumed: {
      auth: [AUTH_TOPIC],
      recoveries: [AUTH_TOPIC],
      assistant: [ASSISTANT_TOPIC],
      user: [USER_TOPIC],
    },
    // The topic assistant.events.v1 carries what producers publish over gRPC.
    produced: [WEBHOOKS_TOPIC, USER_TOPIC, ASSISTANT_TOPIC],
  },

  async parts(platform) {
    const { config, job, pool } = platform;
    const catalogue = await openEventTypes(platform);
    await makeDailyPartitions(pool);
    const tables = tablesOn(platform);
    const watching = openWatching(platform, tables);
    const keys = await openWebhookKeys(platform, tables);
    const { dispatch, webhookChanged } = await startSending(platform, tables, keys, watching);
    const ports: Ports = {
      ...tables,
      ...keys,
      ...startReplaying(platform, tables, watching, dispatch),
      catalogue,
      searching: searchRoom(),
      webhooksPerUserMax: () => config.webhooksPerUserMax,
      webhookChanged,
      webhooksDeleted: (webhooks) =>
        webhooks.forEach(({ webhookId }) => dispatch.webhookChanged(webhookId)),
      newWebhookId: () => newId('wh'),
      newOperationId: () => newId('op'),
      newSecret: () => newSecret(),
      now,
      inTurn,
    };
    const app = application(ports);
    job('failing webhooks', 60 * SECOND_MS, app.disableFailing);
    job('notices of failing webhooks', 60 * SECOND_MS, app.tellFailing);
    job('expired secrets', 60 * SECOND_MS, () => purgeExpiredSecrets(pool));
    job('rows of deleted users', 5 * SECOND_MS, app.deleteUserRows);
    job('redacted payloads', 5 * SECOND_MS, app.redactUserPayloads);
    job('daily partitions', HOUR_MS, async () => void (await makeDailyPartitions(pool)));
    job('retention', 600 * SECOND_MS, async () => purgeOld(platform));

    const streams = platform.eventStreams({ onNews: watching.live.onNews });
    return {
      callers: callersByAuth(platform),
      consumers: consumersOf(platform, tables, { dispatch, webhookChanged }, watching, catalogue),
      async usersDeleted(tx, users) {
        const webhooks = await deleteUsers(tables.within(tx), users);
        const ownedBy = (userId: string) => webhooks.filter((webhook) => webhook.userId === userId);
        return {
          countsOf: (userId) => ({ webhooks: ownedBy(userId).length }),
          afterCommit: () => ports.webhooksDeleted(webhooks),
        };
      },
      routes: routes({ app, catalogue, ...keys, ...watching, streams, config }),
      operators: operatorRoutes({ ...platform, app, journal: operatorJournal(platform) }),
      grpc: [await openPublishing(platform, catalogue)],
    };
  },
});

async function purgeOld({ config, log, maintenance, pool }: DispatcherPlatform): Promise<void> {
  const partitions = await purgePartitions(maintenance, config.retention);
  if (partitions.length > 0) log.info({ partitions }, 'days are over');
  await purgeRows(pool, config.retention);
}
