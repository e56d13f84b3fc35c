import type { EventMetadata } from '@junction/eventsourcing';
import type { Client, ClientName, ConnectionEvent, Provider } from '../domain/connection/events.js';
import type { ConnectionRow } from '../projections/connection-row.js';
import type { ConsentRequest, OAuthProvider, RevocableToken } from './oauth-provider.js';
import type { ProviderFailure } from './provider-error.js';
import type {
  ConnectionRecord,
  ConsumedAuthorization,
  Lease,
  RecordedRefresh,
  UnitOfWork,
} from './unit-of-work.js';

export type * from './oauth-provider.js';
export type * from './unit-of-work.js';

/** Ports of the use cases, with clock and chance among them. */
export interface Ports {
  /** Providers by client, in the order of PROVIDERS_FILE. */
  readonly providers: ReadonlyMap<ClientName, OAuthProvider>;
  /** The same providers as users choose between them, in the same order. */
  readonly identityProviders: readonly IdentityProvider[];
  /** Addresses that answers of providers may be forwarded to: whole addresses, compared as strings. */
  readonly returnTo: ReadonlySet<string>;
  readonly unitOfWork: UnitOfWork;
  readonly connections: Connections;
  readonly history: HistoryReads;
  readonly authorizations: Authorizations;
  readonly leases: RefreshLeases;
  readonly dueRefreshes: DueRefreshes;
  /** Called after each attempt of a refresh. */
  readonly refreshEnded: (client: ClientName, outcome: RefreshOutcome) => void;
  readonly revocations: RevocationQueue;
  readonly checks: Checks;
  readonly log: Log;
  readonly now: () => Date;
  /** Milliseconds on a clock that only goes forward, as performance.now() returns them. */
  readonly monotonicMs: () => number;
  /** Random number from 0 to below 1. */
  readonly chance: () => number;
  readonly random: (bytes: number) => Buffer;
}

/** Identity provider as users choose it. */
export interface IdentityProvider {
  readonly id: string;
  readonly displayName: string;
  /** Icon as a data: URI of an image. */
  readonly icon: string | undefined;
  /** Kinds that the provider serves. */
  readonly providers: readonly Provider[];
}

export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Authorization whose URL was handed out, with what must be known when its code comes back. */
export interface PendingAuthorization extends ConsentRequest, Client {
  readonly userId: string;
  readonly redirectUri: string;
  /** Address that the callback page forwards the answer to. */
  readonly returnTo: string | undefined;
}

export interface CodePresented extends Client {
  readonly userId: string;
  readonly code: string;
  readonly state: string | undefined;
  /** Called with how many codes the user may still send. */
  readonly onLimit: (state: LimitState) => void;
}

/** Use that a user has made of a limit. */
export interface LimitState {
  readonly name: string;
  readonly limit: number;
  readonly windowS: number;
  readonly remaining: number;
  /** Seconds until a further code may be sent. */
  readonly resetS: number;
}

export interface Authorizations {
  /** Adds an authorization, valid for ten minutes. The newest twenty of a user and client are kept. */
  add(authorization: PendingAuthorization): Promise<void>;
  /**
   * Returns the address for the answer of the authorization that waits under this state; undefined also when there is
   * none.
   */
  returnTo(client: Client, state: string): Promise<string | undefined>;
  /** Returns the identity provider of the authorization that waits under this state, or otherwise of the newest. */
  identityProvider(
    userId: string,
    provider: Provider,
    state: string | undefined,
  ): Promise<string | undefined>;
  /**
   * Uses up the code and an authorization: the one of this state, otherwise the newest. AppError `invalid_auth_code`
   * for a code that was used before or without an authorization, `invalid_state`.
   */
  consume(presented: CodePresented): Promise<ConsumedAuthorization>;
  /** Makes code and authorization usable again, for a code that surely never reached the provider. */
  release(consumed: ConsumedAuthorization): Promise<void>;
}

export interface Connections {
  /** Returns a user's connections: mailboxes first; within a kind the primary connection first, then the oldest. */
  list(userId: string): Promise<readonly ConnectionRecord[]>;
  /** Returns the connections of a kind, the primary connection first. */
  ofKind(userId: string, provider: Provider): Promise<readonly ConnectionRecord[]>;
  get(connectionId: string): Promise<ConnectionRecord | undefined>;
  /**
   * Returns some connections that have tokens, of any user: of this account at this client, or of any account there
   * when the account is not known.
   */
  standing(
    client: Client,
    accountId: string | undefined,
  ): Promise<readonly Pick<CheckedConnection, 'connectionId' | 'userId'>[]>;
  /**
   * Returns this connection, or the primary connection of a kind, with its token. Reads the tables each time, so that
   * an ended connection is ended for the next caller.
   */
  current(
    userId: string,
    provider: Provider,
    connectionId?: string,
  ): Promise<CurrentConnection | undefined>;
}

/** Connection whose token is requested. */
export interface CurrentConnection extends Client {
  readonly connectionId: string;
  readonly status: ConnectionRow['status'];
  readonly grantedScopes: readonly string[];
  readonly credentialVersion: number;
  /** Whether this version came from a refresh, not from a connect. */
  readonly isRefreshed: boolean;
  /** Credentials; undefined: the connection ended, and its tokens are deleted. */
  readonly credential: CurrentCredential | undefined;
}

export interface CurrentCredential {
  readonly issuedAt: Date;
  readonly expiresAt: Date;
  /** Whether an answer was lost, as in `Lease`; also when the lease's holder did not come back. */
  readonly answerLost: boolean;
  /** Opens the access token. */
  open(): string;
}

export interface HistoryReads {
  /** Returns events of a connection, the newest first: those before this version of its stream. */
  events(connectionId: string, page: HistorySlice): Promise<readonly RecordedEvent[]>;
  /** Returns refreshes of a connection, the newest first: those before this version of its credentials. */
  refreshes(connectionId: string, page: HistorySlice): Promise<readonly RecordedRefresh[]>;
}

export interface HistorySlice {
  readonly before: number;
  readonly limit: number;
}

export interface RecordedEvent {
  /** Version of the event in the stream, counted from 1. */
  readonly version: number;
  readonly event: ConnectionEvent;
  readonly actor: EventMetadata['actor'];
}

export type LeaseAnswer =
  | { readonly kind: 'ours'; readonly lease: Lease }
  /** Our lease, whose refresh token does not open, nor will later: the stored token was changed. */
  | { readonly kind: 'unreadable'; readonly lease: Lease }
  /** Lease of another replica, which is refreshing. */
  | { readonly kind: 'busy' }
  /** Rest after a failed refresh: the next may not start before its end. */
  | { readonly kind: 'backing_off'; readonly forMs: number }
  /** End: the connection ended, or has a newer version. */
  | { readonly kind: 'over' };

/** Leases that decide which replica may refresh. */
export interface RefreshLeases {
  /** Acquires a lease for a minute, longer than any call to a provider and the saving after it may take. */
  acquire(connectionId: string, credentialVersion: number): Promise<LeaseAnswer>;
  /** Releases the lease when nothing was tried. */
  release(lease: Lease, backoffMs: number): Promise<void>;
}

/**
 * Reason why tokens came too late to be kept. `ended`: the connection is gone. `replaced`: it has newer tokens of the
 * same consent. `reconnected`: it has tokens of a newer consent.
 */
export type Late = 'ended' | 'replaced' | 'reconnected';

/** Queue of refreshes ahead of expiry. */
export interface DueRefreshes {
  /**
   * Claims some refreshes that are due, for ninety seconds, so that a replica that dies loses none. When an answer or
   * its waiter was lost, the next try is due a minute before the access token ends.
   */
  claim(client: ClientName, limit: number): Promise<readonly DueRefresh[]>;
  /**
   * Returns the milliseconds until the next refresh falls due, below 0 when it is due already; undefined when there is
   * none.
   */
  nextInMs(client: ClientName): Promise<number | undefined>;
}

export type DueRefresh = Client & Pick<CurrentConnection, 'connectionId' | 'credentialVersion'>;

/** `late`: the connection ended or had other tokens by then. Otherwise why it failed. */
export type RefreshOutcome = 'refreshed' | 'late' | ProviderFailure;

/** A connection, as far as asking about it needs it. */
export interface CheckedConnection extends Client {
  readonly connectionId: string;
  readonly userId: string;
  readonly credentialVersion: number;
}

export interface DueCheck extends CheckedConnection {
  /** Whether there is a reason to think that the connection ended. */
  readonly suspected: boolean;
  /** Time since which this check has been due: before earlier attempts that were not answered. */
  readonly dueSince: Date;
  /** Whether the last attempt got no answer. */
  readonly wasUnanswered: boolean;
  /**
   * Returns the token to check: the refresh token, if there is one and it has surely not been replaced, otherwise the
   * access token. Undefined when the connection ended since.
   */
  token(): Promise<RevocableToken | undefined>;
}

/** Queue of the checks by which providers are asked whether connections still stand. */
export interface Checks {
  /** Returns the clients whose sweep this replica leads for the next 30 s. */
  lead(clients: readonly ClientName[]): Promise<ReadonlySet<ClientName>>;
  /** Claims some checks that are due, and makes them due again after `againInMs`. */
  claimDue(client: ClientName, limit: number, againInMs: number): Promise<readonly DueCheck[]>;
  /**
   * Claims some suspected checks, but of none of these clients. They are due again after `againInMs` unless confirmed
   * by then.
   */
  claimSuspected(except: readonly ClientName[], againInMs: number): Promise<readonly DueCheck[]>;
  /** Returns claimed checks that were not tried: they are due at once. */
  giveBack(checks: readonly DueCheck[]): Promise<void>;
  /** Makes a suspected check that was answered due like any other. */
  confirm(connectionId: string, againInMs: number): Promise<void>;
  /** Leaves a check that was tried due, as far as `overdueMs` is concerned, until it is `answered`. */
  leaveUnanswered(check: DueCheck): Promise<void>;
  answered(check: DueCheck): Promise<void>;
  /** Returns how long the check that waits longest has been due, tried or not; 0 when none is due. */
  overdueMs(client: ClientName): Promise<number>;
}

/** Owner of tokens that are to be revoked: the owner of their connection, if there is one. */
export interface TokenOwner extends Client {
  readonly userId: string;
  /** Account of the tokens; absent: not known. */
  readonly accountId?: string;
}

/** Queue of tokens that are to be revoked at their provider, kept until that is done. */
export interface RevocationQueue {
  add(owner: TokenOwner, token: RevocableToken): Promise<void>;
  /** Claims some revocations that are due, for a minute, so that a worker that dies loses none. */
  claim(): Promise<readonly QueuedRevocation[]>;
  postpone(revocationId: string, backoffMs: number): Promise<void>;
  delete(revocationId: string): Promise<void>;
}

export interface QueuedRevocation {
  readonly revocationId: string;
  /** Opens what lies sealed in the queue. */
  readonly token: () => RevocableToken;
  /** Opens it too. Undefined: whose it is was never known. */
  readonly accountId: () => string | undefined;
  /** null: of a connection that never came to be. */
  readonly connectionId: string | null;
  readonly client: ClientName;
  /** Attempts, this one included. */
  readonly attempts: number;
  readonly queuedAt: Date;
}
