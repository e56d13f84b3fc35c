import { newId } from '@junction/contracts';
import { inTurn, rowProjection } from '@junction/eventsourcing/postgres';
import { type Consumer, topicName } from '@junction/messaging';
import {
  type ConsumerDefinition,
  callersByAuth,
  defineService,
  publishErased,
} from '@junction/service';
import { AUTH_TOPIC, idempotencyColumns } from '@junction/service/callers';
import { foldOf } from '@junction/service/operators';
import { newSecret } from '@junction/webhook-signing';
import type pg from 'pg';
import { migrations } from '../migrations/index.js';
import { assistantEventsGrpc } from './adapters/grpc/assistant-events-service.js';
import { liveStreams } from './adapters/http/live/live-streams.js';
import { operatorRoutes } from './adapters/http/operators/operator-routes.js';
import { routes } from './adapters/http/routes.js';
import { ASSISTANT_TOPIC, onAssistantEvents } from './adapters/kafka/assistant-events.js';
import {
  publishWebhookEvent,
  WEBHOOKS_SOURCE,
  WEBHOOKS_TOPIC,
} from './adapters/kafka/publication.js';
import { onUserEvents, USER_TOPIC } from './adapters/kafka/user-events.js';
import { makeDailyPartitions } from './adapters/postgres/daily-partitions.js';
import { historyTables } from './adapters/postgres/history/history-tables.js';
import { intakeReads } from './adapters/postgres/intake/intake-reads.js';
import { intakeRows } from './adapters/postgres/intake/intake-rows.js';
import { webhookKeyColumn } from './adapters/postgres/sending/webhook-keys.js';
import { webhookCodec } from './adapters/postgres/webhooks/event-codec.js';
import { failingReads } from './adapters/postgres/webhooks/failing-webhooks.js';
import { webhookReads } from './adapters/postgres/webhooks/webhook-rows.js';
import { targetProblem } from './adapters/webhook/target-rules.js';
import { application } from './application/application.js';
import { type IntakePorts, intake } from './application/intake/intake.js';
import type { Ports } from './application/ports.js';
import { deleteUsers } from './application/privacy/delete-users.js';
import type { Dispatch } from './application/sending/ports.js';
import type { WebhookKeys } from './application/sending/webhook-keys.js';
import { type Config, loadConfig } from './config.js';
import { webhookDecider } from './domain/webhook/decider.js';
import type { WebhookEvent } from './domain/webhook/events.js';
import { measureBacklog, measureDispatch } from './parts/backlog-measures.js';
import { doctorChecks } from './parts/doctor.js';
import { startJobs } from './parts/jobs.js';
import { deliveryMeasures } from './parts/measures.js';
import { startSending } from './parts/sending.js';
import { type DispatcherPlatform, openTables, type Tables } from './parts/tables.js';
import { openWatching, REPLAY_BEGUN, startReplaying, type Watching } from './parts/watching.js';
import { openWebhookKeys } from './parts/webhook-keys.js';
import { webhookRow } from './projections/webhook-row.js';

/** Events in one transaction, which costs as much for one event as for hundreds. */
const EVENTS_BATCH_MAX = 500;

/** Service of webhooks, their deliveries, and the requests that carry them. */
export const service = defineService<Config, WebhookEvent>({
  name: 'webhook-dispatcher',
  config: loadConfig,
  migrations,
  doctor: doctorChecks,
  sealedColumns: [...idempotencyColumns, webhookKeyColumn],
  logFields: ['suppressed'],
  streams: {
    codec: webhookCodec,
    source: WEBHOOKS_SOURCE,
    publish: publishWebhookEvent,
    inline: [rowProjection(webhookRow)],
    folds: { webhook: foldOf(webhookDecider) },
  },

  topics: {
    consumed: { auth: [AUTH_TOPIC], assistant: [ASSISTANT_TOPIC], user: [USER_TOPIC] },
    // The topic assistant.events.v1 carries what producers publish over gRPC.
    produced: [WEBHOOKS_TOPIC, USER_TOPIC, ASSISTANT_TOPIC],
  },

  async parts(platform) {
    const { config, pool, wakeRelay, health } = platform;
    await makeDailyPartitions(pool);
    const tables = openTables(platform);
    const measures = deliveryMeasures(platform.meter);
    const watching = openWatching(platform, tables, measures);
    const { live } = watching;
    const { keys, rotate } = await openWebhookKeys(platform, tables);
    const dispatch = await startSending(platform, tables, keys, { watching, measures });
    measureBacklog(platform.meter, pool);
    measureDispatch(platform.meter, dispatch);
    health.add('leases', () => dispatch.healthy());

    const ports = portsOf(platform, tables, { dispatch, watching, keys });
    const changed = (webhookIds: readonly string[]) => {
      for (const webhookId of webhookIds) dispatch.webhookChanged(webhookId);
      wakeRelay();
    };
    startReplaying(platform, tables, live);
    startJobs(platform, tables, ports, changed);

    const { allowPrivateTargets: allowPrivate } = config;
    const streams = platform.eventStreams({ onNews: live.onNews });
    const app = application(ports);
    const operating = { rotate, webhookChanged: dispatch.webhookChanged };
    return {
      callers: callersByAuth(platform),
      consumers: consumersOf(platform, tables, dispatch, watching),
      async usersDeleted(tx, users) {
        const webhooks = await deleteUsers(tables.within(tx), users);
        const erased = users.map(({ userId }) => ({
          userId,
          counts: { webhooks: webhooks.filter((webhook) => webhook.userId === userId).length },
        }));
        await publishErased(tx, ERASED_BY, erased);
        return () => changed(webhooks.map(({ webhookId }) => webhookId));
      },
      routes: routes({
        app,
        keys,
        streams: liveStreams(live, streams, app),
        problemOf: (url) => targetProblem(url, { allowPrivate }),
      }),
      operators: operatorRoutes({ ...platform, ...operating }),
      grpc: [await openPublishing(platform)],
    };
  },
});

const ERASED_BY = {
  service: 'webhook-dispatcher',
  topic: WEBHOOKS_TOPIC,
  source: WEBHOOKS_SOURCE,
};

function portsOf(
  platform: DispatcherPlatform,
  tables: Tables,
  { dispatch, watching, keys }: { dispatch: Dispatch; watching: Watching; keys: WebhookKeys },
): Ports {
  const { config, pool, store, vault, notifier } = platform;
  const { unitOfWork, openSealed, onUnreadable } = tables;
  return {
    ...historyTables(pool, openSealed),
    unitOfWork,
    webhooks: webhookReads({ pool, store, vault, onUnreadable }),
    webhookKeys: keys,
    failing: failingReads(pool),
    webhooksPerUserMax: config.webhooksPerUserMax,
    webhookChanged(webhook) {
      dispatch.webhookChanged(webhook.webhookId);
      watching.changed(webhook);
    },
    replayBegun: () => notifier.notify(REPLAY_BEGUN),
    now: () => new Date(),
    newWebhookId: () => newId('wh'),
    newOperationId: () => newId('op'),
    inTurn,
    newSecret: () => newSecret(),
  };
}

/** Returns the consumers of the events to deliver, and of our own notices. */
function consumersOf(
  { backgroundPool: pool }: DispatcherPlatform,
  { writing }: Tables,
  dispatch: Dispatch,
  { written, filed }: Pick<IntakePorts, 'written' | 'filed'>,
): readonly ConsumerDefinition[] {
  const adapters = {
    intake: intake({ dispatch, written, filed, after }),
    reads: intakeReads(pool, writing.index),
    readsWithin: (tx: pg.PoolClient) => intakeReads(tx, writing.index),
    rows: (tx: pg.PoolClient) => intakeRows(tx, writing, new Date()),
  };
  const common = { dropDuplicates: false, batchMax: EVENTS_BATCH_MAX, ready: dispatch.ready };
  const partitionsOf = (consumer: Consumer) => () =>
    consumer.status().map(({ partition }) => partition);
  return [
    {
      ...common,
      ...onAssistantEvents(adapters),
      name: 'assistant',
      onStarted: (consumer) => dispatch.consuming(partitionsOf(consumer)),
    },
    { ...common, ...onUserEvents(adapters), name: 'user' },
  ];
}

const after = (ms: number, call: () => void): void => void setTimeout(call, ms).unref();

/** Opens the gRPC method by which producers publish that do not write to Kafka themselves. */
async function openPublishing({ config, kafka, log, closing }: DispatcherPlatform) {
  const producer = await kafka.producer();
  closing.add('producer', producer, (producer) => producer.close());
  const topic = topicName(config.kafka.topicPrefix, ASSISTANT_TOPIC);
  return assistantEventsGrpc({ producer, topic, log });
}
