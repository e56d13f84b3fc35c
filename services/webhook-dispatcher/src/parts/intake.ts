import { pause } from '@junction/async';
import type { EventCatalogue } from '@junction/contracts';
import { type Consumer, type OffsetMoves, topicName } from '@junction/messaging';
import type { ConsumerDefinition } from '@junction/service';
import type pg from 'pg';
import { assistantEventsGrpc } from '../adapters/grpc/assistant-events-service.js';
import { ASSISTANT_TOPIC, onAssistantEvents } from '../adapters/kafka/assistant-events.js';
import { onRecoveries } from '../adapters/kafka/recoveries.js';
import { onUserEvents } from '../adapters/kafka/user-events.js';
import { intakeReads } from '../adapters/postgres/intake/intake-reads.js';
import { intakeRows, recordAtOnce } from '../adapters/postgres/intake/intake-rows.js';
import { intake } from '../application/intake/intake.js';
import type { Tables } from '../application/ports.js';
import type { Dispatch } from '../application/sending/ports.js';
import type { WebhookOwner } from '../application/unit-of-work.js';
import { disableRecovered, type RecoveredUser } from '../application/webhooks/disable-recovered.js';
import { type DispatcherPlatform, now } from './platform.js';
import type { Watching } from './watching.js';

/** Events in one transaction, which costs as much for one event as for hundreds. */
const EVENTS_BATCH_MAX = 500;

interface Sending {
  readonly dispatch: Dispatch;
  readonly webhookChanged: (webhook: WebhookOwner) => void;
}

/** Returns the consumers of the events to deliver, of our own notices, and of accounts that were recovered. */
export function consumersOf(
  { backgroundPool: pool, committed }: DispatcherPlatform,
  { writing, within }: Tables,
  { dispatch, webhookChanged }: Sending,
  { written, filed }: Watching,
  catalogue: EventCatalogue,
): readonly ConsumerDefinition[] {
  const after = (ms: number, call: () => void): void => void setTimeout(call, ms).unref();
  const adapters = {
    intake: intake({ dispatch, written, filed, after }),
    reads: intakeReads(pool, writing.index),
    readsWithin: (tx: pg.PoolClient) => intakeReads(tx, writing.index),
    rows: (tx: pg.PoolClient) => intakeRows(tx, writing, now()),
    recordAtOnce: (db: pg.Pool, moves: OffsetMoves) => recordAtOnce(db, writing, now(), moves),
  };
  const common = { dropDuplicates: false, batchMax: EVENTS_BATCH_MAX };
  const disable = async (tx: pg.PoolClient, user: RecoveredUser) =>
    disableRecovered(within(tx), user, now());
  const onDisabled = (webhooks: readonly WebhookOwner[]) => {
    webhooks.forEach(webhookChanged);
    committed();
  };
  const onStarted = (consumer: Consumer) =>
    dispatch.consuming(() => consumer.status().map(({ partition }) => partition));
  return [
    { ...common, ...onAssistantEvents(catalogue)(adapters), name: 'assistant', onStarted },
    { ...common, ...onUserEvents(adapters), name: 'user' },
    { name: 'recoveries', dropDuplicates: true, handle: onRecoveries(disable, onDisabled, pause) },
  ];
}

/** Opens the gRPC method by which producers publish that do not write to Kafka themselves. */
export async function openPublishing(
  { config, kafka, log, closing }: DispatcherPlatform,
  { schemas }: EventCatalogue,
) {
  const producer = await kafka.producer();
  closing.add('producer', producer, (one) => one.close());
  const topic = topicName(config.kafka.topicPrefix, ASSISTANT_TOPIC);
  return assistantEventsGrpc({ producer, topic, schemas, log });
}
