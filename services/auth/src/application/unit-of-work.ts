import type { Commands } from './handle-commands.js';

/** Transactions in which commands are issued and tables are written. */
export interface UnitOfWork {
  /**
   * Runs `work` in one transaction, after all earlier work with the same key in this process: the user's id for a
   * change of an account. AppError `too_busy` when too many wait.
   */
  inTurn<T>(key: string, work: (tx: Transaction) => Promise<T>): Promise<T>;
  /**
   * Runs `work` in one transaction. `work` is repeated after a deadlock, and when a stream that it ends has moved, so
   * it has no effect but through its transaction. AppError `stream_contended` when streams keep moving.
   */
  inTransaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
}

/** Tables within one transaction, typed as their statements are. */
export type Tables = ReturnType<typeof import('../adapters/postgres/unit-of-work.js').tablesWithin>;

/** Commands and tables within one transaction. */
export type Transaction = Tables & Commands;
