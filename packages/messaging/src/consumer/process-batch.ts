import type { InboundRecord, Log } from '@junction/kafka';
import { batchSpan } from '@junction/telemetry';
import type pg from 'pg';
import {
  type BadRecord,
  type DeadLetter,
  deadLetter,
  reasonOf,
  storeDeadLetters,
} from '../dead-letters/dead-letter.js';
import { messagingSpan } from '../messaging-span.js';
import { BATCH_TIME_MAX_MS } from './batch-size.js';
import { inBoundedTransaction } from './bounded-transaction.js';
import { classifyError } from './classify-error.js';
import { loadTaken, storeTaken, withoutDuplicates } from './duplicates.js';
import {
  type AfterCommit,
  callAfterCommit,
  type Handle,
  type HandleAtOnce,
  handleAlone,
  type PreparedRecord,
} from './handle.js';
import { moveOffsets, type OffsetMove, OffsetMovedError, offsetMoves } from './offsets.js';

/** Settings common to the batches of one topic. */
export interface Processing {
  readonly pool: pg.Pool;
  readonly consumer: string;
  /** Topic without the prefix. */
  readonly topic: string;
  readonly dropDuplicates: boolean;
  readonly handle: Handle;
  readonly handleAtOnce?: HandleAtOnce;
  readonly log: Log;
  /**
   * True when work was done outside of the transaction that must not be done again: the commit waits until it is on
   * disk. Otherwise a crash of the server takes back offset and effects together, and the records are fetched again.
   */
  readonly isDurable?: boolean;
}

/** Records, and the move of the stored offset when all of them are done. */
export interface Batch extends OffsetMove {
  readonly records: readonly InboundRecord[];
}

export interface Processed {
  /** Number of records that are done: all, unless handling them individually took too long. */
  readonly count: number;
  readonly deadLetters: readonly DeadLetter[];
}

/**
 * Takes a batch in one transaction, effects and offset together. Rejects when nothing of it happened: with
 * OffsetMovedError when another member has moved the offset, or with the error that prevented it.
 */
export async function processBatch(processing: Processing, batch: Batch): Promise<Processed> {
  try {
    return await takeWhole(processing, [batch]);
  } catch (error) {
    if (isInfrastructure(error)) throw error;
    // A record is bad, or the handler is. Handled alone, each record shows which.
    return attempt(processing, [batch], individually);
  }
}

/**
 * Takes batches of several partitions in one transaction, which costs as much for all as for one. When that fails,
 * takes each batch by itself. Returns the result of each batch, in order.
 */
export async function processBatches(
  processing: Processing,
  batches: readonly Batch[],
): Promise<readonly PromiseSettledResult<Processed>[]> {
  const { topic, consumer } = processing;
  const records = batches.flatMap((batch) => batch.records);
  const of = { 'messaging.consumer.group.name': consumer };
  const span = messagingSpan('process', topic, records.length, of);
  const traceparents = records.map(traceparentOf);
  return batchSpan(span, traceparents, () => processAll(processing, batches));
}

const traceparentOf = (record: InboundRecord & Partial<PreparedRecord>): string | undefined =>
  record.traceparent ?? record.headers['traceparent'];

async function processAll(
  processing: Processing,
  batches: readonly Batch[],
): Promise<readonly PromiseSettledResult<Processed>[]> {
  try {
    if (batches.length > 1) {
      const { deadLetters } = await takeWhole(processing, batches);
      return batches.map(({ partition, records }) => ({
        status: 'fulfilled',
        value: {
          count: records.length,
          deadLetters: deadLetters.filter((letter) => letter.partition === partition),
        },
      }));
    }
  } catch (reason) {
    if (isInfrastructure(reason) && !(reason instanceof OffsetMovedError)) {
      return batches.map(() => ({ status: 'rejected', reason }));
    }
  }
  const results: PromiseSettledResult<Processed>[] = [];
  for (const batch of batches) {
    results.push(...(await Promise.allSettled([processBatch(processing, batch)])));
  }
  return results;
}

/** Returns whether neither the record nor the handler is at fault. */
const isInfrastructure = (error: unknown): boolean =>
  error instanceof OffsetMovedError || classifyError(error) === 'infrastructure';

/** Takes whole batches: in one statement, if the handler can, or else in a transaction. */
const takeWhole = async (processing: Processing, batches: readonly Batch[]): Promise<Processed> =>
  (await takeAtOnce(processing, batches)) ?? attempt(processing, batches, transactional);

async function takeAtOnce(
  { pool, consumer, topic, dropDuplicates, handleAtOnce, log }: Processing,
  batches: readonly Batch[],
): Promise<Processed | undefined> {
  const records = batches.flatMap((batch) => batch.records);
  if (dropDuplicates || records.some(({ undecodable }) => undecodable !== undefined)) {
    return undefined;
  }
  try {
    const afterCommit = await handleAtOnce?.(records, pool, offsetMoves(consumer, topic, batches));
    if (afterCommit === undefined) return undefined;
    callAfterCommit([afterCommit], log);
    return { count: records.length, deadLetters: [] };
  } catch (error) {
    if (isInfrastructure(error)) throw error;
    // An offset was moved, or a record is bad: the transaction shows which.
    log.debug({ err: error }, 'consumer: a batch is not handled at once');
    return undefined;
  }
}

interface Handled {
  /** Number of records that were handled; only `individually` leaves some. */
  readonly count: number;
  readonly bad: readonly BadRecord[];
  readonly afterCommit: readonly AfterCommit[];
}

type HandleRecords = (
  processing: Processing,
  records: readonly InboundRecord[],
  tx: pg.PoolClient,
) => Promise<Handled>;

interface Attempt extends Processed {
  readonly afterCommit: readonly AfterCommit[];
}

async function attempt(
  processing: Processing,
  batches: readonly Batch[],
  handleRecords: HandleRecords,
): Promise<Processed> {
  const { pool, consumer, topic, log, isDurable = false } = processing;
  const work = async (tx: pg.PoolClient): Promise<Attempt> => {
    // The work is sent without waiting for the offsets. When the offsets did not move, their error is the one that
    // counts.
    const moved = moveOffsets(tx, consumer, topic, batches);
    const worked = takeRecords(processing, batches, handleRecords, tx);
    const [offsets, taken] = await Promise.allSettled([moved, worked]);
    if (offsets.status === 'rejected') throw offsets.reason;
    if (taken.status === 'rejected') throw taken.reason;
    return taken.value;
  };
  const { afterCommit, ...processed } = await inBoundedTransaction(pool, work, {
    waitsForDisk: isDurable,
  });
  callAfterCommit(afterCommit, log);
  return processed;
}

async function takeRecords(
  processing: Processing,
  batches: readonly Batch[],
  handleRecords: HandleRecords,
  tx: pg.PoolClient,
): Promise<Attempt> {
  const { consumer, topic, dropDuplicates } = processing;
  const records = batches.flatMap((batch) => batch.records);
  const fresh = dropDuplicates
    ? withoutDuplicates(records, await loadTaken(tx, processing, records))
    : records;

  const { count, bad, afterCommit: handled } = await handleRecords(processing, fresh, tx);
  const afterCommit = [...handled, ...bad.flatMap(abandons)];
  const letters = bad.map((each) => deadLetter(consumer, topic, each));
  const deadLetters = await storeDeadLetters(tx, letters, bad);
  if (dropDuplicates) await storeTaken(tx, processing, fresh.slice(0, count));

  const next = fresh[count];
  if (!next) return { count: records.length, deadLetters, afterCommit };
  const done = records.slice(0, records.indexOf(next));
  const [last, batch] = [done.at(-1), batches.at(-1)];
  if (last && batch) {
    const { from: _, to, ...at } = batch;
    await moveOffsets(tx, consumer, topic, [{ ...at, from: to, to: last.offset + 1n }]);
  }
  return { count: done.length, deadLetters, afterCommit };
}

function abandons({ record }: BadRecord): readonly AfterCommit[] {
  const { abandon }: Partial<PreparedRecord> = record;
  return abandon ? [abandon] : [];
}

const transactional: HandleRecords = async ({ handle, log }, records, tx) => {
  const bad: BadRecord[] = [];
  if (records.length === 0) return { count: 0, bad, afterCommit: [] };
  const afterCommit = await handle(records, tx, (record, error) => {
    // A cause may quote the record, so it is logged at debug level only.
    if (error.cause !== undefined) log.debug({ err: error }, 'consumer: a record is set aside');
    bad.push({ record, reason: reasonOf(error) });
  });
  return { count: records.length, bad, afterCommit: afterCommit ? [afterCommit] : [] };
};

/** Takes a single batch, and leaves a rest when it takes longer than a transaction should. */
const individually: HandleRecords = async ({ handle, log }, records, tx) => {
  // A deferred constraint would fail at the commit, where nothing tells which record broke it.
  await tx.query('set constraints all immediate');
  const startedMs = performance.now();
  const bad: BadRecord[] = [];
  const afterCommit: AfterCommit[] = [];

  for (const [count, record] of records.entries()) {
    if (count > 0 && performance.now() - startedMs > BATCH_TIME_MAX_MS) {
      return { count, bad, afterCommit };
    }
    const result = await handleAlone(handle, record, tx);
    if (result.ok) {
      if (result.afterCommit) afterCommit.push(result.afterCommit);
      continue;
    }
    // The error's message may quote the record, so it is logged at debug level only.
    log.debug({ err: result.error }, 'consumer: a record failed by itself');
    bad.push({ record, reason: reasonOf(result.error) });
  }
  return { count: records.length, bad, afterCommit };
};
