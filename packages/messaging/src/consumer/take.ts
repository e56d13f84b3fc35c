import { batcher } from '@junction/async';
import type { FetchedBatch, SkippedBatch } from '@junction/kafka';
import { nextBatchSize } from './batch-size.js';
import {
  type AssignmentOptions,
  backOff,
  type FlightContext,
  report,
  seekAgain,
} from './context.js';
import type { Prepare } from './handle.js';
import { moveOffsets, OffsetMovedError } from './offsets.js';
import type { AssignedPartition } from './partition.js';
import { type Batch, type Processed, processBatches } from './process-batch.js';
import { takeAhead } from './take-ahead.js';

/** Maximum records of several partitions in one transaction; a partition with more has its own. */
const SHARED_RECORDS_MAX = 16;
/** Maximum transactions at the same time, each on a connection of the pool. */
const TRANSACTIONS_MAX = 4;

/** Context in which batches are worked through. */
export interface TakeContext extends FlightContext {
  readonly process: (share: Share) => Promise<PromiseSettledResult<Processed>>;
  /** Starts work on records before their transaction. Undefined: records are handled as they come. */
  readonly preparing: Prepare | undefined;
}

/** Records of a partition that the next transaction takes. */
interface Share extends Batch {
  readonly topic: string;
}

/** Takes the batches of many partitions in one transaction, because each fetch brings a little of each. */
export const processing = (
  options: AssignmentOptions,
  ended: AbortSignal,
): TakeContext['process'] =>
  batcher<Share, PromiseSettledResult<Processed>>({
    concurrency: TRANSACTIONS_MAX,
    sizeMax: SHARED_RECORDS_MAX,
    sizeOf: ({ records }) => records.length,
    kindOf: ({ topic }) => topic,
    async process(shares) {
      if (ended.aborted) return shares.map(() => ({ status: 'rejected', reason: ended.reason }));
      const topic = shares[0]?.topic ?? '';
      return processBatches({ ...options, consumer: options.group, topic }, shares);
    },
  });

/** Works through a fetched batch in transactions, until it is done or a failure prevents it. */
export async function take(
  context: TakeContext,
  partition: AssignedPartition,
  batch: FetchedBatch,
): Promise<void> {
  // A fetch of before a seek may come late: it must not move us, and may be of another topic.
  const { topicId, position } = partition;
  if (batch.topicId !== topicId || batch.fetchedOffset !== position) {
    return seekAgain(context, partition);
  }
  partition.justSought = false;
  partition.end = batch.highWatermark;
  if (context.preparing) return takeAhead(context, context.preparing, partition, batch);

  for (let done = 0; done < batch.records.length && batch.isActive(); ) {
    // After failures fewer records are taken: as many as took too long for a transaction would take too long each time.
    const size = Math.max(1, Math.floor(partition.batchSize / 2 ** partition.failures));
    const records = batch.records.slice(done, done + size);
    const isRest = done + records.length === batch.records.length;
    const startedMs = performance.now();
    const count = await commit(context, partition, records, isRest ? batch.lastOffset : undefined);
    if (count === 0) return;

    const lastedMs = performance.now() - startedMs;
    const { batchSize } = partition;
    partition.batchSize = nextBatchSize(batchSize, count, lastedMs, context.batchMax);
    done += count;
    const last = records[count - 1];
    if (last) batch.resolve(last.offset);
    await batch.heartbeat();
  }
}

/**
 * Takes records in one transaction and returns how many. Zero when nothing happened; the partition then seeks or waits.
 */
async function commit(
  context: TakeContext,
  partition: AssignedPartition,
  records: FetchedBatch['records'],
  lastOffset: bigint | undefined,
): Promise<number> {
  const { at, topicId, stored: from } = partition;
  const to = (lastOffset ?? records.at(-1)?.offset ?? partition.position) + 1n;
  const topic = at.topic.slice(context.topicPrefix.length);
  const share = { topic, partition: at.partition, topicId, from, to, records };
  // A rejection would end the consumer, with all its partitions, for what one of them met.
  const result = await context
    .process(share)
    .catch((reason: unknown) => ({ status: 'rejected', reason }) as const);
  if (result.status === 'rejected') {
    if (context.ended.aborted) return 0;
    if (result.reason instanceof OffsetMovedError) seekAgain(context, partition);
    else backOff(context, partition, result.reason);
    return 0;
  }
  const { count, deadLetters } = result.value;
  const last = records[count - 1];
  partition.stored = count < records.length && last ? last.offset + 1n : to;
  partition.position = partition.stored;
  partition.failures = 0;
  partition.failingSinceMs = undefined;
  report(context, deadLetters);
  return count;
}

/**
 * Moves the offset over markers and aborted records: there is nothing to handle, but the table should not stay behind
 * for ever.
 */
export function skip(
  context: FlightContext,
  partition: AssignedPartition,
  batch: SkippedBatch,
): void {
  if (batch.firstOffset !== partition.position && !partition.justSought) {
    seekAgain(context, partition);
    return;
  }
  partition.justSought = false;
  const to = batch.lastOffset + 1n;
  partition.position = to;
  // The stored offset must not pass records in flight; the next batch moves it this far as well.
  if (partition.inFlight.length > 0) return;

  const { pool, group, topicPrefix, log } = context;
  const at = { ...partition.at, topic: partition.at.topic.slice(topicPrefix.length) };
  const { topicId } = partition;
  const move = () => ({ partition: at.partition, topicId, from: partition.stored, to });
  partition.skipping = partition.skipping
    .then(() => moveOffsets(pool, group, at.topic, [move()]))
    .then(() => {
      partition.stored = to;
    })
    // The next batch stores the offset as well, or finds out that another member has moved it.
    .catch((error: unknown) => log.debug({ err: error, ...at }, 'consumer: skip not stored'));
}
