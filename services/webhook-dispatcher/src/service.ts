import { inTurn } from '@junction/eventsourcing/postgres';
import { callersByAuth, defineService } from '@junction/service';
import { AUTH_TOPIC, idempotencyColumns } from '@junction/service/callers';
import { foldOf } from '@junction/service/operators';
import { migrations } from '../migrations/index.js';
import { liveStreams } from './adapters/http/live/live-streams.js';
import { operatorRoutes } from './adapters/http/operators/operator-routes.js';
import { routes } from './adapters/http/routes.js';
import { ASSISTANT_TOPIC } from './adapters/kafka/assistant-events.js';
import {
  publishWebhookEvent,
  WEBHOOKS_SOURCE,
  WEBHOOKS_TOPIC,
} from './adapters/kafka/publication.js';
import { USER_TOPIC } from './adapters/kafka/user-events.js';
import { makeDailyPartitions } from './adapters/postgres/daily-partitions.js';
import { webhookKeyColumn } from './adapters/postgres/sending/webhook-keys.js';
import { webhookHours } from './adapters/postgres/statistics/webhook-hours.js';
import { webhookCodec } from './adapters/postgres/webhooks/event-codec.js';
import { webhookProjection } from './adapters/postgres/webhooks/webhook-projection.js';
import { targetProblem } from './adapters/webhook/target-rules.js';
import { application } from './application/application.js';
import type { Ports } from './application/ports.js';
import type { WebhookOwner } from './application/unit-of-work.js';
import { type Config, loadConfig } from './config.js';
import { webhookDecider } from './domain/webhook/decider.js';
import type { WebhookEvent } from './domain/webhook/events.js';
import { doctorChecks } from './parts/doctor.js';
import { startHistory } from './parts/history.js';
import { consumersOf, openPublishing } from './parts/intake.js';
import { startPrivacy, usersDeleted } from './parts/privacy.js';
import { startReplaying } from './parts/replaying.js';
import { startSending } from './parts/sending.js';
import { openTables } from './parts/tables.js';
import { openWatching } from './parts/watching.js';
import { openWebhookKeys } from './parts/webhook-keys.js';
import { openWebhooks, startWebhooks } from './parts/webhooks.js';

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
    inline: [webhookProjection],
    folds: { webhook: foldOf(webhookDecider) },
  },

  topics: {
    consumed: { auth: [AUTH_TOPIC], assistant: [ASSISTANT_TOPIC], user: [USER_TOPIC] },
    // The topic assistant.events.v1 carries what producers publish over gRPC.
    produced: [WEBHOOKS_TOPIC, USER_TOPIC, ASSISTANT_TOPIC],
  },

  async parts(platform) {
    const { config, pool, wakeRelay } = platform;
    await makeDailyPartitions(pool);
    const tables = openTables(platform);
    const watching = openWatching(platform, tables);
    const { keys, rotate } = await openWebhookKeys(platform, tables);
    const dispatch = await startSending(platform, tables, keys, watching);

    const deleted = (webhooks: readonly WebhookOwner[]) => {
      for (const { webhookId } of webhooks) dispatch.webhookChanged(webhookId);
      wakeRelay();
    };
    const ports: Ports = {
      ...startReplaying(platform, tables, watching),
      ...startHistory(platform, tables),
      ...startPrivacy(platform, tables, deleted),
      ...openWebhooks(platform, tables),
      statistics: webhookHours(pool),
      unitOfWork: tables.unitOfWork,
      webhookKeys: keys,
      webhookChanged(webhook) {
        dispatch.webhookChanged(webhook.webhookId);
        watching.changed(webhook);
      },
      now: () => new Date(),
      inTurn,
    };
    startWebhooks(platform, ports);

    const { allowPrivateTargets: allowPrivate } = config;
    const { live } = watching;
    const streams = platform.eventStreams({ onNews: live.onNews });
    const app = application(ports);
    const { webhookChanged } = dispatch;
    return {
      callers: callersByAuth(platform),
      consumers: consumersOf(platform, tables, dispatch, watching),
      usersDeleted: usersDeleted(tables, deleted),
      routes: routes({
        app,
        keys,
        streams: liveStreams(live, streams, app),
        problemOf: (url) => targetProblem(url, { allowPrivate }),
      }),
      operators: operatorRoutes({ ...platform, rotate, webhookChanged }),
      grpc: [await openPublishing(platform)],
    };
  },
});
