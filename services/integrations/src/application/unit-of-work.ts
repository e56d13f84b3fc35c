import type { EventMetadata } from '@junction/eventsourcing';
import type { ConnectionCommand } from '../domain/connection/decider.js';
import type { ConnectionEvent } from '../domain/connection/events.js';
import type { AuthorizationTable, UsedCodeTable } from './connecting/ports.js';
import type { ConnectionTable } from './connections/ports.js';
import type { CheckTable, RevocationTable, SecurityEventTable, UserData } from './ending/ports.js';
import type { CredentialTable, RefreshTable } from './refreshing/ports.js';

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
 * Transaction of the use cases. It reads only what was committed, and its changes are committed together or not at all.
 */
export interface Transaction {
  /**
   * Waits for the user's turn, which lasts until the transaction ends. Take several turns in order of their users' ids.
   */
  takeTurn(userId: string): Promise<void>;
  /** Takes the turns of those of these users whose turn is free, without waiting. Returns these users. */
  takeFreeTurns(userIds: readonly string[]): Promise<ReadonlySet<string>>;
  /**
   * Handles a command: the only road from a command to an event. AppError of the decider; `unauthenticated` when the
   * user was deleted meanwhile.
   */
  handle(
    connectionId: string,
    command: ConnectionCommand,
    context: CommandContext,
  ): Promise<HandledCommand>;
  /** Handles commands of several connections: the events of all are appended together, or none. */
  handleAll(
    commands: readonly { readonly connectionId: string; readonly command: ConnectionCommand }[],
    context: Pick<CommandContext, 'actor'>,
  ): Promise<void>;
  readonly authorizations: AuthorizationTable;
  readonly usedCodes: UsedCodeTable;
  readonly connections: ConnectionTable;
  readonly credentials: CredentialTable;
  readonly refreshes: RefreshTable;
  readonly revocations: RevocationTable;
  readonly checks: CheckTable;
  readonly securityEvents: SecurityEventTable;
  readonly users: UserData;
}

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
