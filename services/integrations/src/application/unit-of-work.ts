import type { EventMetadata } from '@junction/eventsourcing';
import type { ConnectionCommand } from '../domain/connection/decider.js';
import type {
  Client,
  ClientName,
  ConnectionEvent,
  Provider,
  Scopes,
} from '../domain/connection/events.js';
import type { SecurityEvent, Subject } from '../domain/security-event.js';
import type { ConnectionRow } from '../projections/connection-row.js';
import type { RevocableToken, Tokens } from './oauth-provider.js';

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
  /**
   * Handles a command: the only road from a command to an event. AppError of the decider; `unauthenticated` when the
   * user was deleted meanwhile.
   */
  handle(
    connectionId: string,
    command: ConnectionCommand,
    context: CommandContext,
  ): Promise<HandledCommand>;
  readonly authorizations: AuthorizationTable;
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

/** Connection as it is now: its row, with the changes of the latest refresh. */
export interface ConnectionRecord extends ConnectionRow {
  readonly last_refreshed_at: Date | null;
  /** Whether the connection serves when its kind alone is named. */
  readonly is_primary: boolean;
}

/** Table of pending authorizations. */
export interface AuthorizationTable {
  /** Deletes an authorization whose code was exchanged. Returns false when its user ended it meanwhile. */
  complete(consumed: ConsumedAuthorization): Promise<boolean>;
  /** Deletes authorizations that wait for their code, and those whose code is being exchanged. */
  delete(userId: string, provider: Provider, identityProvider?: string): Promise<void>;
}

/** Account that identifies a connection. */
export interface ConnectedAccount extends Client {
  readonly userId: string;
  /** Account as the provider names it: its `sub`. */
  readonly accountId: string;
}

export interface ConsumedAuthorization {
  readonly verifier: string;
  readonly nonce: string;
  readonly redirectUri: string;
  /** Receipt of the consumption, for `release` and `AuthorizationTable`. */
  readonly receipt: unknown;
}

export interface ConnectionTable {
  find(account: ConnectedAccount): Promise<ConnectionRecord | undefined>;
  /** Returns the connections of a kind, the primary connection first. */
  ofKind(userId: string, provider: Provider): Promise<readonly ConnectionRecord[]>;
  get(connectionId: string): Promise<ConnectionRecord | undefined>;
  /** Returns the connections with this account or refresh token, of one user or of all, in order of their users. */
  ofSubject(
    client: Client,
    subject: Subject,
    userId?: string,
  ): Promise<readonly ConnectionRecord[]>;
  ofUsers(userIds: readonly string[]): Promise<readonly ConnectionRecord[]>;
}

/** Table of the connections' tokens, sealed. */
export interface CredentialTable {
  /** Finds the credentials of a connection; undefined when it has none (any more). */
  find(connectionId: string): Promise<StoredCredential | undefined>;
  /** Inserts credentials under a data key of their own, for a connection that has none. */
  insert(credential: NewCredential & { readonly client: ClientName }): Promise<void>;
  /** Stores the next version of the same credentials, under the same data key. Ends the lease. */
  replace(credential: NewCredential): Promise<void>;
  /** Stores a refresh token alone, for the same version. */
  replaceRefreshToken(connectionId: string, refreshToken: string): Promise<void>;
  /** Returns the token whose revocation ends the grant; undefined when there are no credentials. */
  revocable(connectionId: string): Promise<RevocableCredential | undefined>;
  /** Deletes the credentials with their data key. */
  delete(connectionId: string): Promise<void>;
  /** Ends a lease. Without effect when the lease has passed on. */
  endLease(lease: Lease, end: LeaseEnd): Promise<void>;
}

export interface StoredCredential {
  readonly credentialVersion: number;
  readonly leaseOwner: string | undefined;
  /** Consent of the tokens, as in `Lease`. */
  readonly consent: string;
}

export interface NewCredential {
  readonly connectionId: string;
  readonly version: number;
  readonly tokens: Pick<Tokens, 'accessToken' | 'refreshToken' | 'expiresAt'>;
  readonly issuedAt: Date;
}

export type RevocableCredential =
  | { readonly kind: 'readable'; readonly token: RevocableToken }
  /** Credentials whose row was changed, or whose key is gone. */
  | { readonly kind: 'unreadable'; readonly error: Error };

/** The right to refresh one connection, for a while. */
export interface Lease extends Client {
  readonly connectionId: string;
  readonly userId: string;
  /** No other lease has this one. */
  readonly owner: string;
  readonly credentialVersion: number;
  /**
   * Monotonic time until which a request may be sent: the answer to a later request may come after the lease has passed
   * on.
   */
  readonly sendUntilMs: number;
  /** Monotonic time until which saving an answer is tried, whatever keeps the database away. */
  readonly saveUntilMs: number;
  /** Consent that the tokens came from: a connect makes another consent, a refresh does not. */
  readonly consent: string;
  readonly accountId: string;
  /** Refresh token; undefined when the provider gave none. */
  readonly refreshToken: string | undefined;
  readonly expiresAt: Date;
  readonly scopes: Scopes;
  /** Failed refreshes in a row. */
  readonly failures: number;
  /** Whether a refresh was sent and not answered: the lost answer may have held a new refresh token. */
  readonly answerLost: boolean;
  /** Time at which the provider first left open whether the grant still stands, since the last refresh that worked. */
  readonly unclearSince: Date | undefined;
}

export interface LeaseEnd {
  /** Milliseconds until the next refresh may be tried. */
  readonly backoffMs: number;
  readonly failures: 0 | 1;
  readonly answerLost: boolean;
  /** Whether the answer left open if the grant still stands. */
  readonly unclear: boolean;
}

export interface RecordedRefresh extends Scopes {
  readonly credentialVersion: number;
  readonly at: Date;
  readonly expiresAt: Date;
}

/** Refreshes that worked. The newest of each connection is kept, others for ninety days. */
export interface RefreshTable {
  add(lease: Lease, refresh: RecordedRefresh): Promise<void>;
  /** Tells whether the tokens of this lease were saved, when the answer to a commit was lost. */
  isSaved(lease: Lease): Promise<boolean>;
}

export interface RevocationTable {
  add(connectionId: string, token: RevocableToken): Promise<void>;
  /** Deletes a revocation. Returns false when it was deleted before. */
  delete(revocationId: string): Promise<boolean>;
  isPending(connectionId: string): Promise<boolean>;
}

export interface CheckTable {
  /** Adds the check of new credentials, due for the first time in `dueInMs`. */
  add(connectionId: string, client: ClientName, dueInMs: number): Promise<void>;
  /** Has the provider asked at once. Returns false when the connection has no credentials to ask about. */
  suspect(connectionId: string): Promise<boolean>;
}

export interface SecurityEventTable {
  /** Adds a security event. Returns false when the event came before. */
  add(client: ClientName, event: SecurityEvent): Promise<boolean>;
  recordEffect(client: ClientName, jti: string, effect: SecurityEventEffect): Promise<void>;
}

/** Effect of a security event: the provider was asked, or connections ended. */
export type SecurityEventEffect = 'suspected' | 'ended';

export interface UserData {
  /**
   * Deletes a user's pending authorizations and dead letters, the user's data in queued revocations, and the key that
   * seals personal fields of events.
   */
  delete(userId: string): Promise<void>;
}
