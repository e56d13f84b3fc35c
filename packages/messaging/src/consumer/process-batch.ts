import type pg from 'pg';
import { classifyError } from '../classify-error.js';
import type { InboundRecord } from '../kafka/kafka-port.js';
import type { Log } from '../log.js';
import { RecordError } from '../record-error.js';
import { BATCH_TIME_MAX_MS } from './batch-size.js';
import { inBoundedTransaction } from './bounded-transaction.js';
import { type DeadLetter, deadLetter, storeDeadLetter } from './dead-letters.js';
import type { Gate } from './gate.js';
import { loadGate, storeGate } from './gate-rows.js';
import { moveOffsets, OffsetMovedError } from './offsets.js';

const TRIES_MAX = 3;

/**
 * Does with these records, in this transaction, whatever is to be done; what it returns is called
 * after the commit. Throwing rolls everything back: a RecordError makes the record a dead letter,
 * an infrastructure error (see classifyError) has it handled again later, any other error counts
 * as a try of the record alone, of which there are three.
 */
export type Handle = (
  records: readonly InboundRecord[],
  tx: pg.PoolClient,
) => Promise<void | (() => void)>;

/** What the batches of one topic have in common. */
export interface Processing {
  readonly pool: pg.Pool;
  readonly consumer: string;
  /** Without the prefix. */
  readonly topic: string;
  readonly ordered: boolean;
  readonly handle: Handle;
  readonly log: Log;
}

export interface Batch {
  readonly partition: number;
  /** The stored offset that this batch follows. */
  readonly from: bigint;
  /** The stored offset when all of it is done. */
  readonly to: bigint;
  readonly records: readonly InboundRecord[];
}

export interface Processed {
  /** How many of the records are done. All, unless they had to be taken one by one for long. */
  readonly count: number;
  readonly deadLetters: readonly DeadLetter[];
}

/**
 * Takes a batch in one transaction, effects and offset together. Rejects when nothing of it
 * happened: with OffsetMovedError when another member was here, or with what made it impossible.
 */
export async function processBatch(processing: Processing, batch: Batch): Promise<Processed> {
  try {
    return await attempt(processing, [batch], together);
  } catch (error) {
    if (isNobodysFault(error)) throw error;
    // One of them is bad, or the handler is. Alone, each one shows which.
    return attempt(processing, [batch], oneByOne);
  }
}

/**
 * Takes batches of several partitions in one transaction, which costs as much for all as for one. When that
 * is not possible, each is taken by itself; so what comes of each is told apart, in their order.
 */
export async function processBatches(
  processing: Processing,
  batches: readonly Batch[],
): Promise<readonly PromiseSettledResult<Processed>[]> {
  try {
    if (batches.length > 1) {
      const { deadLetters } = await attempt(processing, batches, together);
      return batches.map(({ partition, records }) => ({
        status: 'fulfilled',
        value: {
          count: records.length,
          deadLetters: deadLetters.filter((letter) => letter.partition === partition),
        },
      }));
    }
  } catch (reason) {
    if (isNobodysFault(reason) && !(reason instanceof OffsetMovedError)) {
      return batches.map(() => ({ status: 'rejected', reason }));
    }
  }
  const results: PromiseSettledResult<Processed>[] = [];
  for (const batch of batches) {
    results.push(...(await Promise.allSettled([processBatch(processing, batch)])));
  }
  return results;
}

/** Neither a record's nor the handler's. */
const isNobodysFault = (error: unknown): boolean =>
  error instanceof OffsetMovedError || classifyError(error) === 'infrastructure';

interface Work {
  readonly tx: pg.PoolClient;
  readonly gate: Gate;
  readonly effects: (() => void)[];
  /** Sets a record aside. Parks its key where there is order to keep. */
  readonly setAside: (record: InboundRecord, reason: DeadLetter['reason']) => Promise<void>;
}

/** Gives how many it has taken. `oneByOne`, which gets a single batch, may leave a rest. */
type Way = (
  processing: Processing,
  records: readonly InboundRecord[],
  work: Work,
) => Promise<number>;

async function attempt(
  processing: Processing,
  batches: readonly Batch[],
  way: Way,
): Promise<Processed> {
  const { pool, consumer, topic, log } = processing;
  const records = batches.flatMap((batch) => batch.records);
  const effects: (() => void)[] = [];
  const deadLetters: DeadLetter[] = [];

  const work = async (tx: pg.PoolClient): Promise<number> => {
    const gate = await loadGate(tx, processing, records);
    const setAside: Work['setAside'] = async (record, reason) => {
      const letter = deadLetter(consumer, topic, record, reason, gate.park(record));
      await storeDeadLetter(tx, letter, record);
      deadLetters.push(letter);
    };

    const done = await way(processing, records, { tx, gate, effects, setAside });
    await storeGate(tx, processing, gate);
    const last = records[done - 1];
    const batch = batches.at(-1);
    if (done < records.length && last && batch) {
      const { partition, to } = batch;
      await moveOffsets(tx, consumer, topic, [{ partition, from: to, to: last.offset + 1n }]);
    }
    return done;
  };
  const offsetsFirst = async (tx: pg.PoolClient): Promise<number> => {
    // The work follows the offsets without waiting for them. Where they do not move, that is why it failed.
    const moved = moveOffsets(tx, consumer, topic, batches);
    const [offsets, worked] = await Promise.allSettled([moved, work(tx)]);
    if (offsets.status === 'rejected') throw offsets.reason;
    if (worked.status === 'rejected') throw worked.reason;
    return worked.value;
  };
  // What a crash of the server takes back, offset and effects together, is fetched again.
  const count = await inBoundedTransaction(pool, offsetsFirst, { waitsForDisk: false });

  for (const effect of effects) quietly(effect, log);
  return { count, deadLetters };
}

const together: Way = async ({ handle }, records, { tx, gate, effects, setAside }) => {
  const fresh: InboundRecord[] = [];
  for (const record of records) {
    if (!(await passes(gate, record, setAside))) continue;
    gate.accept(record);
    fresh.push(record);
  }
  const effect = fresh.length > 0 ? await handle(fresh, tx) : undefined;
  if (effect) effects.push(effect);
  return records.length;
};

const oneByOne: Way = async ({ handle, log }, records, { tx, gate, effects, setAside }) => {
  // A deferred constraint would speak up at the commit, when nobody knows any more whose it was.
  await tx.query('set constraints all immediate');
  const startedMs = performance.now();

  for (const [index, record] of records.entries()) {
    if (index > 0 && performance.now() - startedMs > BATCH_TIME_MAX_MS) return index;
    if (!(await passes(gate, record, setAside))) continue;

    const failure = await tryAlone(handle, record, tx, effects);
    if (failure === undefined) {
      gate.accept(record);
    } else {
      // Its words may quote the record; above debug only its name and code are told.
      log.debug({ err: failure }, 'consumer: a record failed by itself');
      await setAside(record, reasonOf(failure));
    }
  }
  return records.length;
};

/** Whether the handler should see it. What it should not see is dropped or set aside here. */
async function passes(
  gate: Gate,
  record: InboundRecord,
  setAside: Work['setAside'],
): Promise<boolean> {
  const verdict = gate.judge(record);
  if (verdict.kind === 'fresh') return true;
  if (verdict.kind === 'follower') await setAside(record, FOLLOWER);
  if (verdict.kind === 'bad') await setAside(record, reasonOf(verdict.reason));
  return false;
}

const FOLLOWER = {
  code: 'key_parked',
  text: 'An earlier record of this key is a dead letter; this one waits for its redrive.',
};

/** Undefined when it succeeded, its own error when it did not. Throws what the surroundings did. */
export async function tryAlone(
  handle: Handle,
  record: InboundRecord,
  tx: pg.PoolClient,
  effects: (() => void)[],
): Promise<unknown> {
  for (let tries = 1; ; tries++) {
    await tx.query('savepoint record');
    try {
      const effect = await handle([record], tx);
      await tx.query('release savepoint record');
      if (effect) effects.push(effect);
      return undefined;
    } catch (error) {
      if (classifyError(error) === 'infrastructure') throw error;
      await tx.query('rollback to savepoint record');
      if (error instanceof RecordError || tries === TRIES_MAX) return error ?? new Error('unknown');
    }
  }
}

/** Only a RecordError's words were written to be kept; any other's may quote the record. */
export function reasonOf(error: unknown): DeadLetter['reason'] {
  if (error instanceof RecordError) return { code: error.code, text: error.message };
  const { name, code } = error instanceof Error ? (error as Error & { code?: unknown }) : NO_ERROR;
  const detail = typeof code === 'string' ? `${name} ${code}` : name;
  return { code: 'handler_failed', text: `Handling it failed ${TRIES_MAX} times with ${detail}.` };
}

const NO_ERROR = { name: 'a value that is no Error', code: undefined };

export function quietly(effect: () => void, log: Log): void {
  try {
    effect();
  } catch (error) {
    log.error({ err: error }, 'consumer: a callback after the commit failed; the commit stands');
  }
}
