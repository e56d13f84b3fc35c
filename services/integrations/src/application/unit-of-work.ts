import type { EventMetadata } from '@junction/eventsourcing';
import type { ConnectionEvent } from '../domain/connection/events.js';

/** Transactions in which commands are issued and tables are written. */
export interface UnitOfWork {
  /**
   * Runs `work` in one transaction, alone among those of the same user: a connect, a disconnect, a
   * refresh and the end of the account never see half of each other. `work` is repeated after a
   * deadlock, and while the database is away for `retryForMs` (0 unless given), so it has no effect
   * but through its transaction.
   */
  inUserTurn<T>(
    userId: string,
    work: (tx: Transaction) => Promise<T>,
    options?: { readonly retryForMs?: number },
  ): Promise<T>;
  /**
   * Runs work in a transaction that learns its users only within: call `takeTurn` before anything of a user is changed.
   */
  inTransaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
}

/**
 * Transaction of the use cases, typed as its statements are. It reads only what was committed, and its changes are
 * committed together or not at all.
 */
export type Transaction = ReturnType<
  typeof import('../adapters/postgres/unit-of-work.js').transactionOn
>;

export interface CommandContext {
  readonly actor: EventMetadata['actor'] & object;
  /** Id of the command, the same in every repetition: a commit whose answer was lost is recognised. */
  readonly commandId?: string;
  /** Versions of the stream that the command is for. AppError `precondition_failed` for another version. */
  readonly ifVersion?: readonly number[] | undefined;
}

export interface HandledCommand {
  /** Events of the command, also when an earlier call stored them. */
  readonly events: readonly ConnectionEvent[];
  readonly repeated: boolean;
}
