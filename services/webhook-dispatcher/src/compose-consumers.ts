import { newId } from '@junction/contracts';
import {
  type Consumer,
  type KafkaPort,
  measureConsumers,
  startConsumer,
} from '@junction/messaging';
import {
  AUTH_TOPIC,
  type Closing,
  type Health,
  type Logger,
  type Metrics,
  onAuthEvents,
  type Revocations,
} from '@junction/service-kit';
import type pg from 'pg';
import { ASSISTANT_TOPIC, onAssistantEvents } from './adapters/kafka/assistant-events.js';
import { onUserEvents, USER_TOPIC } from './adapters/kafka/user-events.js';
import { type IntakeNeeds, intakeRows } from './adapters/postgres/intake/intake-rows.js';
import type { DeletedUser } from './application/delete-users.js';
import type { Job } from './application/dispatch/job.js';
import type { Dispatch } from './application/dispatch/start.js';

/** A transaction costs as much for one event as for hundreds. */
const EVENTS_BATCH_MAX = 500;

export interface ConsumerParts extends IntakeNeeds {
  /** Groups begin with it. */
  readonly name: string;
  readonly topicPrefix: string;
  readonly pool: pg.Pool;
  readonly kafka: KafkaPort;
  readonly dispatch: Dispatch;
  readonly revoked: Revocations;
  /** Gives the webhooks that were deleted. */
  readonly deleteUsers: (
    tx: pg.PoolClient,
    users: readonly DeletedUser[],
  ) => Promise<readonly string[]>;
  /** Webhooks are deleted and that is committed. */
  readonly deleted: (webhookIds: readonly string[]) => void;
  readonly wakeRelay: () => void;
  readonly health: Health;
  readonly measures: Metrics;
  readonly log: Logger;
  readonly closing: Closing;
}

/** What comes over Kafka: of users first, then the events to deliver, and our own notices. */
export async function consume(parts: ConsumerParts): Promise<readonly Consumer[]> {
  const { name, topicPrefix, pool, unlock, index, kafka, dispatch, revoked } = parts;
  const { deleteUsers, deleted, wakeRelay, health, log, closing } = parts;
  const common = { pool, kafka, topicPrefix, log, onDeadLetter: wakeRelay };
  const consumer = async (
    options: Omit<Parameters<typeof startConsumer>[0], keyof typeof common>,
  ) => {
    const started = await startConsumer({ ...common, ...options });
    closing.add(options.group, started, (consumer) => consumer.stop(), { atOnce: true });
    health.add(options.group, () => started.healthy());
    return started;
  };

  const auth = await consumer({
    group: `${name}.auth`,
    topics: [AUTH_TOPIC],
    dropDuplicates: true,
    handle: onAuthEvents({
      revocations: revoked,
      async usersDeleted(tx, users) {
        const webhookIds = await deleteUsers(tx, users);
        return () => deleted(webhookIds);
      },
    }),
  });
  // A revoked session must not get in because we have not read of it yet.
  health.addOnce('revocations', () => auth.caughtUp());

  const intake = {
    rows: (tx: pg.PoolClient) => intakeRows(tx, { unlock, index }, new Date()),
    newDeliveryId: () => newId('dlv'),
    accept: (jobs: readonly Job[]) => dispatch.accept(jobs),
  };
  const assistant = await consumer({
    group: `${name}.assistant`,
    topics: [ASSISTANT_TOPIC],
    dropDuplicates: false,
    batchMax: EVENTS_BATCH_MAX,
    ready: () => dispatch.ready(),
    handle: onAssistantEvents(intake),
  });
  dispatch.consuming(() => assistant.status().map(({ partition }) => partition));
  const user = await consumer({
    group: `${name}.user`,
    topics: [USER_TOPIC],
    dropDuplicates: false,
    ready: () => dispatch.ready(),
    handle: onUserEvents(intake),
  });
  const consumers = [auth, assistant, user];
  measureConsumers(parts.measures.meter, consumers);
  return consumers;
}
