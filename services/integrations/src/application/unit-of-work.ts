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
  /** The same where the users are learned within: call `takeTurn` before anything of a user is changed. */
  inTransaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
}

/** What a transaction reads sees only what was committed, and is written with it or not at all. */
export interface Transaction {
  /** Waits for the user's turn, which lasts until the transaction ends. Several: in order of their ids. */
  takeTurn(userId: string): Promise<void>;
  /**
   * The only road from a command to an event. AppError of the decider; `unauthenticated` when the user
   * was deleted meanwhile.
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
  /** The same in every repetition: a commit whose answer was lost is recognised. */
  readonly commandId?: string;
  /** The versions of the stream that the command is for. AppError `precondition_failed` for another. */
  readonly ifVersion?: readonly number[] | undefined;
}

export interface HandledCommand {
  /** What the command led to, also before. */
  readonly events: readonly ConnectionEvent[];
  readonly repeated: boolean;
}

/** A connection as it is now: its row, with what the latest refresh changed. */
export interface ConnectionRecord extends ConnectionRow {
  readonly last_refreshed_at: Date | null;
  /** The one that serves where its kind alone is named. */
  readonly is_primary: boolean;
}

/** Authorizations that were begun. */
export interface AuthorizationTable {
  /** Deletes one whose code was exchanged. False: its user ended it meanwhile. */
  complete(consumed: ConsumedAuthorization): Promise<boolean>;
  /** Those that wait for their code, and those whose code is being exchanged. */
  delete(userId: string, provider: Provider, identityProvider?: string): Promise<void>;
}

/** What a connection is known by. */
export interface ConnectedAccount extends Client {
  readonly userId: string;
  /** As the provider names it: its `sub`. */
  readonly accountId: string;
}

export interface ConsumedAuthorization {
  readonly verifier: string;
  readonly nonce: string;
  readonly redirectUri: string;
  /** What was written, for `release` and `AuthorizationTable`. */
  readonly receipt: unknown;
}

export interface ConnectionTable {
  find(account: ConnectedAccount): Promise<ConnectionRecord | undefined>;
  /** All of a kind, the primary one first. */
  ofKind(userId: string, provider: Provider): Promise<readonly ConnectionRecord[]>;
  get(connectionId: string): Promise<ConnectionRecord | undefined>;
  /** Those whose account or refresh token this is, of one user or of all, in order of their users. */
  ofSubject(
    client: Client,
    subject: Subject,
    userId?: string,
  ): Promise<readonly ConnectionRecord[]>;
  ofUsers(userIds: readonly string[]): Promise<readonly ConnectionRecord[]>;
}

/** The tokens of connections, sealed. */
export interface CredentialTable {
  /** Undefined: the connection has no credentials (any more). */
  find(connectionId: string): Promise<StoredCredential | undefined>;
  /** For a connection that has none; under a data key of its own. */
  insert(credential: NewCredential & { readonly client: ClientName }): Promise<void>;
  /** The next version of the same credential, under the same data key. Ends the lease. */
  replace(credential: NewCredential): Promise<void>;
  /** A refresh token alone, for the same version. */
  replaceRefreshToken(connectionId: string, refreshToken: string): Promise<void>;
  /** The token whose revocation ends the grant; undefined when there are no credentials. */
  revocable(connectionId: string): Promise<RevocableCredential | undefined>;
  /** With their data key. */
  delete(connectionId: string): Promise<void>;
  /** Without effect when the lease has passed on. */
  endLease(lease: Lease, end: LeaseEnd): Promise<void>;
}

export interface StoredCredential {
  readonly credentialVersion: number;
  readonly leaseOwner: string | undefined;
  /** As in `Lease`. */
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
  /** The row was changed, or its key is gone. */
  | { readonly kind: 'unreadable'; readonly error: Error };

/** The right to refresh one connection, for a while. */
export interface Lease extends Client {
  readonly connectionId: string;
  readonly userId: string;
  /** No other lease has this one. */
  readonly owner: string;
  readonly credentialVersion: number;
  /** On the monotonic clock: a request sent later may be answered after the lease has passed on. */
  readonly sendUntilMs: number;
  /** On the same clock: until then saving what came is tried, whatever keeps the database away. */
  readonly saveUntilMs: number;
  /** The consent the tokens come of: a connect makes another one, a refresh does not. */
  readonly consent: string;
  readonly accountId: string;
  /** Undefined: the provider gave none. */
  readonly refreshToken: string | undefined;
  readonly expiresAt: Date;
  readonly scopes: Scopes;
  /** Refreshes in a row that failed. */
  readonly failures: number;
  /** One was sent and not answered: a new refresh token may have been in what did not come. */
  readonly answerLost: boolean;
  /** When the provider first left open whether the grant still stands, since the last refresh that worked. */
  readonly unclearSince: Date | undefined;
}

export interface LeaseEnd {
  /** Until the next refresh may be tried. */
  readonly backoffMs: number;
  readonly failures: 0 | 1;
  readonly answerLost: boolean;
  /** The answer left open whether the grant still stands. */
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
  /** Whether what this lease brought was written: asked when the answer to a commit was lost. */
  isSaved(lease: Lease): Promise<boolean>;
}

export interface RevocationTable {
  add(connectionId: string, token: RevocableToken): Promise<void>;
  /** False: it was deleted before. */
  delete(revocationId: string): Promise<boolean>;
  isPending(connectionId: string): Promise<boolean>;
}

export interface CheckTable {
  /** For new credentials: when they are asked about for the first time. */
  add(connectionId: string, client: ClientName, dueInMs: number): Promise<void>;
  /** Has the provider asked at once. False: the connection has no credentials to ask about. */
  suspect(connectionId: string): Promise<boolean>;
}

export interface SecurityEventTable {
  /** False: it came before. */
  add(client: ClientName, event: SecurityEvent): Promise<boolean>;
  recordEffect(client: ClientName, jti: string, effect: SecurityEventEffect): Promise<void>;
}

/** What a security event did: had the provider asked, or ended connections. */
export type SecurityEventEffect = 'suspected' | 'ended';

export interface UserData {
  /** Pending authorizations, dead letters, what queued revocations tell of them, and the key that personal fields of events are sealed with. */
  delete(userId: string): Promise<void>;
}
