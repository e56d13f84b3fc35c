import type { InboundRecord, Log } from '@junction/kafka';
import type pg from 'pg';
import { classifyError } from './classify-error.js';
import type { OffsetMoves } from './offsets.js';
import { RecordError } from './record-error.js';

/** Number of attempts to handle a record alone before it becomes a dead letter. */
export const TRIES_MAX = 3;

export type AfterCommit = () => void;

/** Makes a record of the batch a dead letter. The handler must have done nothing for the record. */
export type SetAside = (record: InboundRecord, reason: RecordError) => void;

/**
 * Handles these records in this transaction; the function that a handler returns is called after the commit. A record
 * that breaks a rule is given to `setAside`, and the others are handled. Throwing rolls everything back: after an
 * infrastructure error (see classifyError) the batch is handled again later; after any other error each record is
 * handled alone. Alone, a RecordError makes the record a dead letter at once, another error after three attempts.
 *
 * Handlers must be idempotent and must not rely on the order of records: a dead letter is handled when an operator
 * redrives it, after the records that followed it.
 */
export type Handle = (
  records: readonly InboundRecord[],
  tx: pg.PoolClient,
  setAside: SetAside,
) => Promise<void | AfterCommit>;

/**
 * Handles records and moves their offsets in one statement, which holds MOVE_OFFSETS and has no effect unless all of
 * `moves` are made (refuse_batch). Undefined: these records take more than one statement. Then, and when it rejects
 * with anything but an infrastructure error, the records are handled in a transaction.
 */
export type HandleAtOnce = (
  records: readonly InboundRecord[],
  db: pg.Pool,
  moves: OffsetMoves,
) => Promise<AfterCommit> | undefined;

/** A record whose work has started. */
export interface PreparedRecord extends InboundRecord {
  /** Resolves when the record may be handled. Never rejects. */
  readonly ready: Promise<unknown>;
  /** W3C Trace Context of the record's work. Absent: that of its header. */
  readonly traceparent?: string | undefined;
  /** Returns whether anything of the work has been done that should not be done again. Absent: it has. */
  readonly hasBegun?: (() => boolean) | undefined;
  /**
   * Called when the record is not handled here, so that its work counts for nothing: the record has become a dead
   * letter, another member has handled it, or it will be fetched again.
   */
  readonly abandon?: (() => void) | undefined;
}

/**
 * Starts the work of records before anything is written of them, in the order of their log, and returns the records as
 * they are to be handled. When it rejects, no work was started.
 *
 * A record whose work has started may stay unhandled when the process ends; it is fetched again then. When a member was
 * silent for longer than its session, or had more in flight than it could write before it gave its partitions up, two
 * members may have started work on the same record: the member that moves the offset handles it. A dead letter that
 * is redriven is handled without such work.
 */
export type Prepare = (records: readonly InboundRecord[]) => Promise<readonly PreparedRecord[]>;

export type HandledAlone =
  | { readonly ok: true; readonly afterCommit: AfterCommit | undefined }
  | { readonly ok: false; readonly error: unknown };

/**
 * Handles a record alone, and returns the record's own error. Throws an infrastructure error, which says nothing of the
 * record.
 */
export async function handleAlone(
  handle: Handle,
  record: InboundRecord,
  tx: pg.PoolClient,
): Promise<HandledAlone> {
  for (let tries = 1; ; tries++) {
    await tx.query('savepoint record');
    try {
      const afterCommit = await handle([record], tx, (_, reason) => {
        throw reason;
      });
      await tx.query('release savepoint record');
      return { ok: true, afterCommit: afterCommit ?? undefined };
    } catch (error) {
      if (classifyError(error) === 'infrastructure') throw error;
      await tx.query('rollback to savepoint record');
      if (error instanceof RecordError || tries === TRIES_MAX) return { ok: false, error };
    }
  }
}

/** Runs callbacks after a commit, which stands whatever a callback does. */
export function callAfterCommit(callbacks: readonly AfterCommit[], log: Log): void {
  for (const callback of callbacks) {
    try {
      callback();
    } catch (error) {
      log.error({ err: error }, 'consumer: a callback after the commit failed; the commit stands');
    }
  }
}
