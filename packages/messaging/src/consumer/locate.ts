import { retry } from '@junction/async';
import type { KafkaPort, Log, LogBounds, PartitionControl } from '@junction/kafka';
import type pg from 'pg';
import { compared, storeCompared, storedOffsets } from './offsets.js';
import type { AssignedPartition } from './partition.js';

interface LocateOptions {
  readonly pool: pg.Pool;
  readonly kafka: KafkaPort;
  readonly topicPrefix: string;
  readonly group: string;
  readonly log: Log;
  readonly control: PartitionControl;
  readonly ended: AbortSignal;
}

/**
 * Seeks paused partitions to their stored offsets and resumes them. Tries until it succeeds or the
 * assignment ends. A partition whose stored offset is of another log, or outside of its log, stays paused, as
 * `offset_lost`.
 */
export async function locate(
  options: LocateOptions,
  partitions: readonly AssignedPartition[],
): Promise<void> {
  const { ended, log, group } = options;
  if (ended.aborted) return;
  for (const partition of partitions) partition.failingSinceMs ??= performance.now();
  const topics = new Set(partitions.map(({ at }) => at.topic));
  const locateAll = async (): Promise<void> => {
    for (const topic of topics) {
      const ofTopic = partitions.filter(({ at }) => at.topic === topic);
      await locateTopic(options, topic, ofTopic);
    }
  };
  await retry(locateAll, {
    signal: ended,
    onFailure: (error) =>
      log.warn({ err: error, group }, 'consumer: stored offsets not found yet; trying again'),
  }).catch(() => undefined); // It ends in an error only when the assignment has ended.
}

async function locateTopic(
  { pool, kafka, topicPrefix, group, log, control, ended }: LocateOptions,
  topic: string,
  partitions: readonly AssignedPartition[],
): Promise<void> {
  const name = topic.slice(topicPrefix.length);
  let logs = await logsOf(kafka, topic, partitions);
  const stored = await storedOffsets(pool, group, name, logs);
  // The member that had a partition may have stored an offset beyond the end that was read before.
  if (compared(stored, logs).some(({ lostReason }) => lostReason !== undefined)) {
    logs = await logsOf(kafka, topic, partitions);
  }
  const found = compared(stored, logs);
  if (ended.aborted) return;
  await storeCompared(pool, group, name, found);
  if (ended.aborted) return;

  const byNumber = new Map(partitions.map((each) => [each.at.partition, each]));
  for (const { partition: number, offset, topicId, lostReason, low, high } of found) {
    const partition = byNumber.get(number);
    if (!partition) continue;
    partition.stored = offset;
    partition.topicId = topicId;
    partition.position = offset;
    partition.end = high;
    partition.caughtUpAt ??= high;

    if (lostReason !== undefined) {
      partition.state = 'offset_lost';
      const facts = { group, ...partition.at, offset: `${offset}`, low: `${low}`, high: `${high}` };
      log.error(facts, `consumer: offset_lost until it is reset. ${lostReason}`);
      continue;
    }
    partition.justSought = true;
    partition.state = 'running';
    partition.failingSinceMs = undefined;
    control.seek(partition.at, offset, topicId);
    control.resume(partition.at);
  }
}

async function logsOf(
  kafka: KafkaPort,
  topic: string,
  partitions: readonly AssignedPartition[],
): Promise<ReadonlyMap<number, LogBounds>> {
  const bounds = await kafka.admin().logBounds(topic);
  return new Map(
    partitions.map(({ at: { partition } }) => {
      const log = bounds.get(partition);
      if (!log) throw new Error(`${topic} has no partition ${partition} (yet).`);
      return [partition, log];
    }),
  );
}
