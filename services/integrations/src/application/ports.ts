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

/** What the use cases need from the world. Clock and chance are among it. */
export interface Ports {
  /** In the order of PROVIDERS_FILE. */
  readonly providers: ReadonlyMap<ClientName, OAuthProvider>;
  /** The same for who chooses one, in the same order. */
  readonly identityProviders: readonly IdentityProvider[];
  /** Where answers of providers may be forwarded to: whole addresses, compared as strings. */
  readonly returnTo: ReadonlySet<string>;
  readonly unitOfWork: UnitOfWork;
  readonly connections: Connections;
  readonly history: HistoryReads;
  readonly authorizations: Authorizations;
  readonly leases: RefreshLeases;
  readonly dueRefreshes: DueRefreshes;
  /** Called after each refresh that was tried. */
  readonly refreshEnded: (client: ClientName, outcome: RefreshOutcome) => void;
  readonly revocations: RevocationQueue;
  readonly checks: Checks;
  readonly log: Log;
  readonly now: () => Date;
  /** Milliseconds on a clock that only goes forward, as performance.now() gives them. */
  readonly monotonicMs: () => number;
  /** From 0 to below 1. */
  readonly chance: () => number;
  readonly random: (bytes: number) => Buffer;
}

/** What a user chooses between. */
export interface IdentityProvider {
  readonly id: string;
  readonly displayName: string;
  /** A data: URI of an image. */
  readonly icon: string | undefined;
  /** The kinds it serves. */
  readonly providers: readonly Provider[];
}

export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** An authorization URL that was handed out: what must be known when its code comes back. */
export interface PendingAuthorization extends ConsentRequest, Client {
  readonly userId: string;
  readonly redirectUri: string;
  /** Where the callback page forwards the answer to. */
  readonly returnTo: string | undefined;
}

export interface CodePresented extends Client {
  readonly userId: string;
  readonly code: string;
  readonly state: string | undefined;
  /** Hears how many codes the user may still send. */
  readonly onLimit: (state: LimitState) => void;
}

/** How a user stands with one limit. */
export interface LimitState {
  readonly name: string;
  readonly limit: number;
  readonly windowS: number;
  readonly remaining: number;
  /** Seconds until one more may be sent. */
  readonly resetS: number;
}

export interface Authorizations {
  /** Valid for ten minutes. Of one user and client the newest twenty are kept. */
  add(authorization: PendingAuthorization): Promise<void>;
  /** Of the authorization that waits under this state; undefined also where none does. */
  returnTo(client: Client, state: string): Promise<string | undefined>;
  /** Where the authorization was begun that waits under this state, or otherwise the newest. */
  identityProvider(
    userId: string,
    provider: Provider,
    state: string | undefined,
  ): Promise<string | undefined>;
  /**
   * Uses up the code and an authorization: the one of this state, otherwise the newest. AppError
   * `invalid_auth_code` for a code that was used before or without an authorization, `invalid_state`.
   */
  consume(presented: CodePresented): Promise<ConsumedAuthorization>;
  /** Makes both usable again: for a code that surely never reached the provider. */
  release(consumed: ConsumedAuthorization): Promise<void>;
}

export interface Connections {
  /** Mailboxes first; of a kind the primary one first, then the oldest. */
  list(userId: string): Promise<readonly ConnectionRecord[]>;
  /** Those of a kind, the primary one first. */
  ofKind(userId: string, provider: Provider): Promise<readonly ConnectionRecord[]>;
  get(connectionId: string): Promise<ConnectionRecord | undefined>;
  /**
   * Some that have tokens, of whichever user: of this account at this client, or of any account there where it is not
   * known.
   */
  standing(
    client: Client,
    accountId: string | undefined,
  ): Promise<readonly Pick<CheckedConnection, 'connectionId' | 'userId'>[]>;
  /**
   * The primary one of a kind, or this one, with its token. Read from the tables each time: an ended connection
   * is ended for the next caller.
   */
  current(
    userId: string,
    provider: Provider,
    connectionId?: string,
  ): Promise<CurrentConnection | undefined>;
}

/** A connection that a token is asked of. */
export interface CurrentConnection extends Client {
  readonly connectionId: string;
  readonly status: ConnectionRow['status'];
  readonly grantedScopes: readonly string[];
  readonly credentialVersion: number;
  /** This version came of a refresh, not of a connect. */
  readonly isRefreshed: boolean;
  /** Undefined: the connection ended, and its tokens are deleted. */
  readonly credential: CurrentCredential | undefined;
}

export interface CurrentCredential {
  readonly issuedAt: Date;
  readonly expiresAt: Date;
  /** As in `Lease`; also where its holder did not come back. */
  readonly answerLost: boolean;
  /** The access token. */
  open(): string;
}

export interface HistoryReads {
  /** Events of a connection, the newest first: those before this version of its stream. */
  events(connectionId: string, page: HistorySlice): Promise<readonly RecordedEvent[]>;
  /** Refreshes of a connection, the newest first: those before this version of its credentials. */
  refreshes(connectionId: string, page: HistorySlice): Promise<readonly RecordedRefresh[]>;
}

export interface HistorySlice {
  readonly before: number;
  readonly limit: number;
}

export interface RecordedEvent {
  /** Its place in the stream, counted from 1. */
  readonly version: number;
  readonly event: ConnectionEvent;
  readonly actor: EventMetadata['actor'];
}

export type LeaseAnswer =
  | { readonly kind: 'ours'; readonly lease: Lease }
  /** Ours, and its refresh token does not open, nor will it later: what lies there was changed. */
  | { readonly kind: 'unreadable'; readonly lease: Lease }
  /** Another replica is refreshing. */
  | { readonly kind: 'busy' }
  /** The last refresh failed; not before then. */
  | { readonly kind: 'backing_off'; readonly forMs: number }
  /** The connection ended, or has a newer version. */
  | { readonly kind: 'over' };

/** Who may refresh. */
export interface RefreshLeases {
  /** Good for a minute, longer than any call to a provider and the saving after it may take. */
  acquire(connectionId: string, credentialVersion: number): Promise<LeaseAnswer>;
  /** Gives the lease back after nothing was tried. */
  release(lease: Lease, backoffMs: number): Promise<void>;
}

/**
 * What came too late to be kept. `ended`: the connection is no more. `replaced`: it has newer tokens of the
 * same consent. `reconnected`: tokens of a newer consent.
 */
export type Late = 'ended' | 'replaced' | 'reconnected';

/** The queue of refreshes ahead of expiry. */
export interface DueRefreshes {
  /**
   * Some that are due; the claim lasts ninety seconds, so that a replica that dies loses none. Where an
   * answer was lost, or its waiter was, the next try is due a minute before the access token ends.
   */
  claim(client: ClientName, limit: number): Promise<readonly DueRefresh[]>;
  /** Milliseconds until the next falls due, below 0 when it has; undefined: there is none. */
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
  /** There is a reason to think that it ended. */
  readonly suspected: boolean;
  /** Since when this check has been due: before earlier ones, which were tried and not answered. */
  readonly dueSince: Date;
  /** The last time it was tried there was no answer. */
  readonly wasUnanswered: boolean;
  /**
   * What the provider is asked about: the refresh token, if there is one and it has surely not been replaced.
   * Undefined when the connection ended since.
   */
  token(): Promise<RevocableToken | undefined>;
}

/** When the provider is asked whether a connection still stands. */
export interface Checks {
  /** Of these clients those that this replica may ask for regularly, for half a minute. */
  lead(clients: readonly ClientName[]): Promise<ReadonlySet<ClientName>>;
  /** Some that are due, and due again after `againInMs`. */
  claimDue(client: ClientName, limit: number, againInMs: number): Promise<readonly DueCheck[]>;
  /** Some that are suspected, but of these clients; due again after `againInMs` unless confirmed by then. */
  claimSuspected(except: readonly ClientName[], againInMs: number): Promise<readonly DueCheck[]>;
  /** These were claimed and not tried: they are due at once. */
  giveBack(checks: readonly DueCheck[]): Promise<void>;
  /** A suspected one was answered: it is due like any other. */
  confirm(connectionId: string, againInMs: number): Promise<void>;
  /** It was tried and stays due, as far as `overdueMs` is concerned, until it is `answered`. */
  leaveUnanswered(check: DueCheck): Promise<void>;
  answered(check: DueCheck): Promise<void>;
  /** How long the check that waits longest has been due, tried or not; 0 when none is. */
  overdueMs(client: ClientName): Promise<number>;
}

/** Whose tokens are to be revoked: of their connection, if there is one. */
export interface TokenOwner extends Client {
  readonly userId: string;
  /** Undefined: not known. */
  readonly accountId?: string;
}

/** Tokens that are to be revoked at their provider, kept until it has been done. */
export interface RevocationQueue {
  add(owner: TokenOwner, token: RevocableToken): Promise<void>;
  /** Some that are due; the claim lasts a minute, so that a worker that dies loses none. */
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
  /** This one included. */
  readonly attempts: number;
  readonly queuedAt: Date;
}
