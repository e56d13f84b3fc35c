import type { InboundRecord, Log } from '@junction/kafka';
import type pg from 'pg';
import { classifyError } from './classify-error.js';
import { RecordError } from './record-error.js';

/** How often a record is tried by itself before it becomes a dead letter. */
export const TRIES_MAX = 3;

export type AfterCommit = () => void;

/** Makes a record of the batch a dead letter. The handler must have done nothing for the record. */
export type SetAside = (record: InboundRecord, reason: RecordError) => void;

/**
 * Does with these records, in this transaction, whatever is to be done; the function it returns is
 * called after the commit. A record that breaks a rule is given to `setAside`, and the others are
 * handled. Throwing rolls everything back: an infrastructure error (see classifyError) has the batch
 * handled again later; after any other error each record is handled alone. Alone, a RecordError makes
 * it a dead letter at once, another error after three tries.
 *
 * Handlers must be idempotent and must not rely on the order of records: a dead letter is handled
 * when an operator redrives it, after the records that followed it.
 */
export type Handle = (
  records: readonly InboundRecord[],
  tx: pg.PoolClient,
  setAside: SetAside,
) => Promise<void | AfterCommit>;

/** A record whose work has begun. */
export interface BegunRecord extends InboundRecord {
  /** Resolves when it may be handled. Never rejects. */
  readonly ready: Promise<unknown>;
  /** W3C Trace Context of its work; absent: what its header says. */
  readonly traceparent?: string | undefined;
  /**
   * Called when the record is not handled here: it has become a dead letter, another member has handled it, or it will be
   * fetched again. Its work counts for nothing.
   */
  readonly abandon?: () => void;
}

/**
 * Begins the work of records before anything is written of them, in the order of their log, and gives them as they are
 * to be handled. When it rejects nothing was begun.
 *
 * A record may be begun and never handled, when the process ends; it is fetched again then. After a rebalance two
 * members may have begun with the same record: the one that moves the offset handles it. A dead letter that is redriven
 * is handled without having been begun.
 */
export type Begin = (records: readonly InboundRecord[]) => Promise<readonly BegunRecord[]>;

export type HandledAlone =
  | { readonly ok: true; readonly afterCommit: AfterCommit | undefined }
  | { readonly ok: false; readonly error: unknown };

/** Gives the record's own error. Throws an infrastructure error: it says nothing of the record. */
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

/** The commit stands whatever a callback does. */
export function callAfterCommit(callbacks: readonly AfterCommit[], log: Log): void {
  for (const callback of callbacks) {
    try {
      callback();
    } catch (error) {
      log.error({ err: error }, 'consumer: a callback after the commit failed; the commit stands');
    }
  }
}
