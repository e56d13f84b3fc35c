import { retry } from '@junction/async';
import type { KafkaPort, Log, LogBounds, PartitionControl } from '@junction/kafka';
import type pg from 'pg';
import { storedOffsets } from './offsets.js';
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
 * assignment ends. A partition whose stored offset is outside its log stays paused, as `offset_lost`.
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
  let bounds = await kafka.admin().logBounds(topic);
  const boundsOf = ({ at }: Pick<AssignedPartition, 'at'>): LogBounds => {
    const found = bounds.get(at.partition);
    if (found) return found;
    throw new Error(`${topic} has no partition ${at.partition} (yet).`);
  };
  const lows = new Map(partitions.map((each) => [each.at.partition, boundsOf(each).low]));
  const stored = await storedOffsets(pool, group, topic.slice(topicPrefix.length), lows);
  // The member that had a partition may have stored an offset beyond the end that was read before.
  const isOutside = ({ at }: AssignedPartition): boolean => {
    const { low, high } = boundsOf({ at });
    const offset = stored.get(at.partition) ?? low;
    return offset < low || offset > high;
  };
  if (partitions.some(isOutside)) bounds = await kafka.admin().logBounds(topic);
  if (ended.aborted) return;

  for (const partition of partitions) {
    const { low, high } = boundsOf(partition);
    const offset = stored.get(partition.at.partition) ?? low;
    partition.stored = offset;
    partition.position = offset;
    partition.end = high;
    partition.caughtUpAt ??= high;

    if (isOutside(partition)) {
      partition.state = 'offset_lost';
      const facts = { group, ...partition.at, offset: `${offset}`, low: `${low}`, high: `${high}` };
      log.error(facts, 'consumer: offset_lost; the stored offset is outside the log, reset it');
      continue;
    }
    partition.justSought = true;
    partition.state = 'running';
    partition.failingSinceMs = undefined;
    control.seek(partition.at, offset);
    control.resume(partition.at);
  }
}
