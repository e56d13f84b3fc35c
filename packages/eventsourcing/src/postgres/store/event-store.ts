import type pg from 'pg';
import type { Appended, BatchingEventStore, Event, RecordedEvent } from '../../index.js';
import type { InlineProjection } from '../projections/inline-projection.js';
import type { Queryable } from '../queryable.js';
import { isConnectionLost, isRolledBack, retried } from '../retry.js';
import { inSavepoint, inTransaction } from '../transaction.js';
import { appendBatch, recall } from './append-batch.js';
import { holdStream, loadStream, loadStreams } from './load-stream.js';
import { type PreparedAppend, prepareAppend, type RowMaking } from './prepared-append.js';
import { readStreamBackwards } from './read-stream.js';
import { recordedEvent } from './stored-event.js';

const BATCH_MAX = 1_000;
/** Highest version: the column is an integer of 32 bits. */
const VERSION_MAX = 2_147_483_647;

export interface PostgresEventStore<E extends Event> extends BatchingEventStore<E> {
  /**
   * Returns the same store inside the caller's transaction (read committed), which decides what stays. A refused append
   * leaves the transaction usable. Nothing is retried here (see inRetriedTransaction), and waking the relay is left to
   * the caller.
   */
  within(tx: pg.PoolClient): BatchingEventStore<E>;

  /** Returns a page of a stream, the newest event first: the events before `before`, or the newest of all. */
  recent(
    streamId: string,
    page: { readonly before?: number | undefined; readonly limit: number },
  ): Promise<readonly RecordedEvent<E>[]>;
}

export interface PostgresEventStoreOptions<E extends Event> extends RowMaking<E> {
  readonly pool: pg.Pool;
  /** Projections, written in this order. Without any an append is one statement and one round trip. */
  readonly inline?: readonly InlineProjection<E>[];
  /** Called after each commit: the moment to wake the relay. */
  readonly afterCommit?: () => void;
}

/** The event store on Postgres. Its tables are made by `eventStoreMigrations`. */
export function postgresEventStore<E extends Event>(
  options: PostgresEventStoreOptions<E>,
): PostgresEventStore<E> {
  const { pool, codec, inline = [], afterCommit = () => {} } = options;
  type Batch = readonly PreparedAppend<E>[];

  const codecWithin = (tx: pg.ClientBase) => codec.within?.(tx) ?? codec;

  const appendAndProject = async (tx: pg.ClientBase, batch: Batch) => {
    const results = await appendBatch(tx, codecWithin(tx), batch);
    const events = results.flatMap((one) => (one.repeated ? [] : one.events));
    if (events.length > 0) for (const projection of inline) await projection.apply(tx, events);
    return results;
  };

  const commit = async <T>(batch: Batch, work: () => Promise<T>): Promise<T> => {
    // When the outcome is unknown, only an append whose repeat is recognised may be sent again.
    const isRepeatable = batch.every((one) => one.isRepeatable);
    const result = await retried(
      work,
      (error) => isRolledBack(error) || (isRepeatable && isConnectionLost(error)),
    );
    afterCommit();
    return result;
  };

  const appendOnPool = (batch: Batch) =>
    commit(batch, () =>
      inline.length === 0 && isOneStatement(batch)
        ? appendBatch(pool, codec, batch)
        : inTransaction(pool, (tx) => appendAndProject(tx, batch)),
    );

  return {
    ...storeOn(pool, options, appendOnPool),

    within: (tx) =>
      storeOn(tx, { ...options, codec: codecWithin(tx) }, (batch) =>
        inSavepoint(tx, () => appendAndProject(tx, batch)),
      ),

    async recent(streamId, { before = VERSION_MAX, limit }) {
      const page = await readStreamBackwards(pool, streamId, before, limit);
      return Promise.all(page.map(async (stored) => recordedEvent(codec, stored)));
    },
  };
}

/**
 * Returns whether the batch is stored whole or not at all without a transaction around it. A command id that was used
 * for something else is noticed only after the statement, which has stored the other appends of the batch by then.
 */
const isOneStatement = <E extends Event>(batch: readonly PreparedAppend<E>[]): boolean =>
  batch.length === 1 || !batch.some(({ isRepeatable }) => isRepeatable);

/** Builds a store that reads from `db` and appends by `append`. */
const storeOn = <E extends Event>(
  db: Queryable,
  options: RowMaking<E>,
  append: (batch: readonly PreparedAppend<E>[]) => Promise<readonly Appended<E>[]>,
): BatchingEventStore<E> => ({
  async load(streamId, { isHeld = false } = {}) {
    if (isHeld) await holdStream(db, streamId);
    return loadStream(db, options.codec, streamId);
  },

  loadMany: (streamIds) => loadStreams(db, options.codec, streamIds),

  recall: (commandId, streamIds) => recall(db, options.codec, commandId, streamIds),

  async append(appends, context = {}) {
    return only(await append([await prepareAppend(options, appends, context)]));
  },

  async appendMany(batch) {
    if (batch.length === 0) return [];
    if (batch.length > BATCH_MAX) {
      throw new RangeError(`A batch holds ${batch.length} appends; at most ${BATCH_MAX} may be.`);
    }
    // Together, so that they share reads of keys; each is waited for, so that none goes on after the transaction.
    const prepared = await Promise.allSettled(
      batch.map(async ({ appends, context = {} }) => prepareAppend(options, appends, context)),
    );
    return append(
      prepared.map((one) => {
        if (one.status === 'rejected') throw one.reason;
        return one.value;
      }),
    );
  },
});

function only<T>([one]: readonly T[]): T {
  if (one === undefined) throw new Error('An append was not answered.');
  return one;
}
