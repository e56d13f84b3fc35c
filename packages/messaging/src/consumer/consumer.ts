import { repeat } from '@junction/async';
import { topicName } from '@junction/kafka';
import { type Assignment, assignment } from './assignment.js';
import type { ConsumerOptions } from './context.js';
import type { PartitionStatus } from './partition.js';
import { purge } from './purge.js';
import { handleDecoded, prepareDecoded } from './undecodable.js';

const BATCH_MAX = 200;
/**
 * Partitions that kafkajs hands on at the same time: all that a fetch brought, because this package bounds the work
 * itself.
 */
const PARTITIONS_AT_ONCE = 64;
const PURGE_EVERY_MS = 60 * 60 * 1_000;

export interface Consumer extends Pick<ConsumerOptions, 'group' | 'topics' | 'handle'> {
  /**
   * Returns whether the consumer is in the group, no partition is lost, and none has been failing for longer than 10 s.
   */
  healthy(): boolean;
  /**
   * Returns whether every record that was there when its partition was assigned has taken effect. False again for a
   * moment after each new assignment: remember the first true to know that a start is complete.
   */
  caughtUp(): boolean;
  status(): readonly PartitionStatus[];
  /** Finishes the batches under way. */
  stop(): Promise<void>;
}

/**
 * Consumes topics with exactly one effect for each record: the offset is kept in Postgres and moves
 * in the transaction of the effects, compared with where the fetch began. A partition that has no
 * stored offset starts at the beginning of its log. Kafka holds no offsets of ours.
 *
 * Resolves at once; Kafka or Postgres may come later, go and come back.
 */
export async function startConsumer(options: ConsumerOptions): Promise<Consumer> {
  const { kafka, pool, topicPrefix, group, topics, log } = options;
  let current: Assignment | undefined;

  const assign = assignment({
    ...options,
    handle: handleDecoded(options.handle),
    ...(options.prepare && { prepare: prepareDecoded(options.prepare) }),
    batchMax: options.batchMax ?? BATCH_MAX,
    onDeadLetters: options.onDeadLetters ?? (() => undefined),
  });
  const subscription = kafka.runConsumer({
    group: topicName(topicPrefix, group),
    topics: topics.map((name) => topicName(topicPrefix, name)),
    concurrency: PARTITIONS_AT_ONCE,
    onAssigned(partitions, control) {
      const assigned = assign(partitions, control, current?.end());
      current = assigned;
      return async () => assigned.end();
    },
    onBatch: async (batch) => current?.onBatch(batch),
    onSkipped: (batch) => current?.onSkipped(batch),
  });

  const purging = repeat(
    PURGE_EVERY_MS,
    () => purge(pool, group),
    (error) => log.debug({ err: error }, 'consumer: nothing purged'),
  );
  // The purge also runs at the start: a process may never live for as long as the interval.
  purging.wake();

  return {
    group,
    topics,
    handle: options.handle,
    healthy: () => subscription.healthy() && current !== undefined && current.healthy(),
    caughtUp: () => current?.caughtUp() ?? false,
    status: () => current?.status() ?? [],
    async stop() {
      // The purge is not awaited: a later one finishes a purge that is cut short.
      void purging.stop();
      await subscription.stop();
      await current?.end();
    },
  };
}
