import { AssistantEventsServiceService, newId, SERVICE_SCOPES } from '@junction/contracts';
import { rowProjection } from '@junction/eventsourcing-postgres';
import { topicName } from '@junction/messaging';
import { foldOf } from '@junction/ops';
import { type ConsumerDefinition, callersByAuth, defineService } from '@junction/platform';
import { idempotencyColumns } from '@junction/service-kit/callers';
import { newSecret } from '@junction/webhook-signing';
import type pg from 'pg';
import { migrations } from '../migrations/index.js';
import { assistantEventsService } from './adapters/grpc/assistant-events-service.js';
import { liveStream } from './adapters/http/live-stream.js';
import { routes } from './adapters/http/routes.js';
import { ASSISTANT_TOPIC, onAssistantEvents } from './adapters/kafka/assistant-events.js';
import { publishWebhookEvent, WEBHOOKS_SOURCE } from './adapters/kafka/publication.js';
import { onUserEvents, USER_TOPIC } from './adapters/kafka/user-events.js';
import { makeDailyPartitions } from './adapters/postgres/daily-partitions.js';
import { deliveryLog } from './adapters/postgres/history/delivery-log.js';
import { intakeRows } from './adapters/postgres/intake/intake-rows.js';
import { transactionOn } from './adapters/postgres/unit-of-work.js';
import { webhookCodec } from './adapters/postgres/webhooks/event-codec.js';
import { failingReads } from './adapters/postgres/webhooks/failing-webhooks.js';
import { webhookReads } from './adapters/postgres/webhooks/webhook-rows.js';
import { targetProblem } from './adapters/webhook/target-rules.js';
import { application } from './application/application.js';
import { deleteUsers } from './application/delete-users.js';
import type { Dispatch } from './application/dispatch/start.js';
import type { Ports } from './application/ports.js';
import { type Config, loadConfig } from './config.js';
import { webhookDecider } from './domain/webhook/decider.js';
import type { WebhookEvent } from './domain/webhook/events.js';
import { newDeliveryId, openHistory, openWatching } from './parts/history.js';
import { startJobs } from './parts/jobs.js';
import { startSending } from './parts/sending.js';
import { type DispatcherPlatform, openTables, type Tables } from './parts/tables.js';
import { webhookRow } from './projections/webhook-row.js';

/** A transaction costs as much for one event as for hundreds. */
const EVENTS_BATCH_MAX = 500;

/** Webhooks, their deliveries, and the requests that carry them. */
export const service = defineService<Config, WebhookEvent>({
  name: 'webhook-dispatcher',
  config: loadConfig,
  migrations,
  sealedColumns: idempotencyColumns,
  streams: {
    codec: webhookCodec,
    source: WEBHOOKS_SOURCE,
    publish: publishWebhookEvent,
    inline: [rowProjection(webhookRow)],
    folds: { webhook: foldOf(webhookDecider) },
  },

  async parts(platform) {
    const { config, pool, store, vault, wakeRelay, health } = platform;
    await makeDailyPartitions(pool);
    const tables = openTables(platform);
    const watching = openWatching(platform);
    const dispatch = await startSending(platform, tables, watching.written);
    health.add('leases', () => dispatch.healthy());

    const ports = portsOf(platform, tables, dispatch);
    const history = openHistory(platform, tables, watching);
    const changed = (webhookIds: readonly string[]) => {
      for (const webhookId of webhookIds) dispatch.webhookChanged(webhookId);
      wakeRelay();
    };
    startJobs(platform, ports, changed);

    const { allowPrivateTargets: allowPrivate } = config;
    const streams = platform.eventStreams({ onNews: (onCall) => watching.live.onNews(onCall) });
    return {
      callers: callersByAuth(platform),
      consumers: consumersOf(tables, dispatch),
      async usersDeleted(tx, users) {
        const transaction = transactionOn(tx, { store, vault, writing: tables.writing });
        const webhookIds = await deleteUsers(transaction, users);
        return () => changed(webhookIds);
      },
      routes: routes({
        app: application(ports),
        history,
        streams: liveStream(watching.live, streams),
        problemOf: (url) => targetProblem(url, { allowPrivate }),
      }),
      grpc: [await assistantEvents(platform)],
    };
  },
});

function portsOf(platform: DispatcherPlatform, tables: Tables, dispatch: Dispatch): Ports {
  const { config, pool, store, vault } = platform;
  const { unitOfWork, openSealed, onUnreadable } = tables;
  return {
    unitOfWork,
    webhooks: webhookReads({ pool, store, vault, onUnreadable }),
    failing: failingReads(pool),
    deliveries: deliveryLog(pool, openSealed),
    webhooksPerUserMax: config.webhooksPerUserMax,
    webhookChanged: (webhookId) => dispatch.webhookChanged(webhookId),
    now: () => new Date(),
    newWebhookId: () => newId('wh'),
    newSecret: () => newSecret(),
  };
}

/** The events to deliver, and our own notices. */
function consumersOf({ unlock, index }: Tables, dispatch: Dispatch): readonly ConsumerDefinition[] {
  const intake = {
    rows: (tx: pg.PoolClient) => intakeRows(tx, { unlock, index }, new Date()),
    newDeliveryId,
    accept: dispatch.accept,
  };
  const common = { dropDuplicates: false, ready: async () => dispatch.ready() };
  return [
    {
      ...common,
      name: 'assistant',
      topics: [ASSISTANT_TOPIC],
      batchMax: EVENTS_BATCH_MAX,
      handle: onAssistantEvents(intake),
      onStarted: (consumer) =>
        dispatch.consuming(() => consumer.status().map(({ partition }) => partition)),
    },
    { ...common, name: 'user', topics: [USER_TOPIC], handle: onUserEvents(intake) },
  ];
}

/** The way into the topic for producers that do not write to Kafka themselves. */
async function assistantEvents({ config, kafka, log, closing }: DispatcherPlatform) {
  const producer = await kafka.producer();
  closing.add('producer', producer, (producer) => producer.close());
  const topic = topicName(config.kafka.topicPrefix, ASSISTANT_TOPIC);
  return {
    definition: AssistantEventsServiceService,
    implementation: assistantEventsService({ producer, topic, log }),
    scopes: {
      publish: SERVICE_SCOPES.publishEvents,
      publishStream: SERVICE_SCOPES.publishEvents,
    },
  };
}
