import type { Provider, RevocationOutcome, Scopes } from '../domain/connection/events.js';
import type { SecurityEvent } from '../domain/security-event.js';
import type { ConnectionRow } from '../projections/connection-row.js';
import type { HistoryItem } from '../projections/history-item.js';
import type { ProviderFailure } from './provider-error.js';

/** What this service needs from the world. Clock and chance are among it. */
export interface Needs {
  readonly providers: ReadonlyMap<Provider, OAuthProvider>;
  /** Where answers of providers may be forwarded to: whole addresses, compared as strings. */
  readonly returnTo: ReadonlySet<string>;
  readonly authorizations: Authorizations;
  readonly connections: Connections;
  readonly refreshes: Refreshes;
  readonly dueRefreshes: DueRefreshes;
  /** Told of each refresh that was tried. */
  readonly refreshEnded: (provider: Provider, outcome: RefreshOutcome) => void;
  readonly revocations: Revocations;
  readonly checks: Checks;
  readonly securityEvents: SecurityEvents;
  readonly log: Log;
  readonly now: () => Date;
  /** From 0 to below 1. */
  readonly chance: () => number;
  readonly random: (bytes: number) => Buffer;
}

export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** One configured provider. Each call has a deadline and fails with ProviderError. */
export interface OAuthProvider {
  readonly redirectUri: string;
  /**
   * Revoking a token of one consent leaves other consents of the same account alone. Where it does
   * not, a token may not be revoked while a newer consent of that account is in use.
   */
  readonly separateGrants: boolean;
  /** Its issuer as it names itself. Answers only when the provider can be worked with. */
  issuer(): Promise<string>;
  authorizationUrl(request: ConsentRequest): Promise<string>;
  exchange(request: CodeExchange): Promise<Grant>;
  /** `beforeSending` may throw, and then nothing was sent. */
  refresh(refreshToken: string, beforeSending: () => void): Promise<Tokens>;
  /**
   * Checks a security event token (RFC 8417): throws SecurityEventRefusal for one that is not good, or
   * AppError `keys_unavailable`. Undefined: none are taken from this provider.
   */
  readonly securityEvent: ((token: string) => Promise<SecurityEvent>) | undefined;
  /** How many tokens a second it may be asked about regularly. Undefined: it can't be asked. */
  readonly introspectionsPerS: number | undefined;
  /** Is a token good (RFC 7662)? `unsupported`: this provider can't be asked. */
  introspect(token: RevocableToken): Promise<'active' | 'inactive' | 'unsupported'>;
  /** `unsupported`: this provider can't be asked to. A token it no longer knows counts as revoked. */
  revoke(token: RevocableToken): Promise<'revoked' | 'unsupported'>;
}

export interface ConsentRequest {
  readonly state: string;
  readonly nonce: string;
  /** PKCE (RFC 7636), the secret half. */
  readonly verifier: string;
}

export interface CodeExchange extends Omit<ConsentRequest, 'state'> {
  readonly code: string;
  readonly redirectUri: string;
}

export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  /** The moment the access token expires. */
  readonly expiresAt: Date;
  /** Absent: unchanged. */
  readonly scopes: Scopes | undefined;
}

/** What a user has granted, and which account it is about. */
export interface Grant extends Tokens {
  readonly scopes: Scopes;
  readonly account: string;
  readonly accountId: string;
}

export interface RevocableToken {
  readonly token: string;
  readonly hint: 'refresh_token' | 'access_token';
}

/** An authorization URL that was handed out: what must be known when its code comes back. */
export interface PendingAuthorization extends ConsentRequest {
  readonly userId: string;
  readonly provider: Provider;
  readonly redirectUri: string;
  /** Where the callback page forwards the answer to. */
  readonly returnTo: string | undefined;
}

export interface CodePresented {
  readonly userId: string;
  readonly provider: Provider;
  readonly code: string;
  readonly state: string | undefined;
}

export interface Authorizations {
  /** Valid for ten minutes. Of one user and provider the newest ten are kept. */
  add(authorization: PendingAuthorization): Promise<void>;
  /** Of the authorization that waits under this state; undefined also where none does. */
  returnTo(provider: Provider, state: string): Promise<string | undefined>;
  /**
   * Uses up the code and an authorization: the one of this state, otherwise the newest. AppError
   * `invalid_auth_code` for a code that was used before or without an authorization, `invalid_state`.
   */
  spend(presented: CodePresented): Promise<SpentAuthorization>;
  /** Takes spending back: for a code that surely never left. */
  restore(spent: SpentAuthorization): Promise<void>;
}

export interface SpentAuthorization {
  readonly verifier: string;
  readonly nonce: string;
  readonly redirectUri: string;
  /** What was deleted and written, for `restore` alone. */
  readonly receipt: unknown;
}

/** A connection that tokens are asked of. */
export interface StandingConnection {
  readonly connectionId: string;
  readonly status: ConnectionRow['status'];
  readonly grantedScopes: readonly string[];
  readonly credentialVersion: number;
  /** Undefined: it has none (any more). */
  readonly credential: StandingCredential | undefined;
}

export interface StandingCredential {
  readonly issuedAt: Date;
  readonly expiresAt: Date;
  /** The access token. */
  open(): string;
}

/** With its place in the stream, counted from 1. */
export interface NumberedItem {
  readonly version: number;
  readonly item: HistoryItem;
}

export interface Connections {
  list(userId: string): Promise<readonly ConnectionRow[]>;
  find(userId: string, provider: Provider): Promise<ConnectionRow | undefined>;
  /** What happened to a connection, newest first: what came before this version of its stream. */
  history(
    connectionId: string,
    page: { readonly before?: number | undefined; readonly limit: number },
  ): Promise<readonly NumberedItem[]>;
  /** One indexed read, never a cache: an ended connection is ended for the next caller. */
  standing(userId: string, provider: Provider): Promise<StandingConnection | undefined>;
  /**
   * Begins or continues the connection, in one transaction with its tokens. Tokens it had go to the
   * revocation queue, unless revoking them would take the new ones along; those of another account
   * always do.
   */
  connect(
    userId: string,
    provider: Provider,
    grant: Grant,
    options: { readonly separateGrants: boolean; readonly at: Date },
  ): Promise<{ readonly accountChanged: boolean }>;
  /** Event, tokens, data key and the entry in the revocation queue in one transaction. */
  disconnect(userId: string, provider: Provider, at: Date): Promise<void>;
}

/** The right to refresh one connection, for a while. */
export interface Lease {
  readonly connectionId: string;
  readonly userId: string;
  readonly owner: string;
  readonly credentialVersion: number;
  /** On the clock of performance.now(): later the lease may have passed on before the answer is saved. */
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
}

export type LeaseAnswer =
  | { readonly kind: 'ours'; readonly lease: Lease }
  /** Ours, and its refresh token does not open, nor will it later: what lies there was changed. */
  | { readonly kind: 'unreadable'; readonly lease: Lease }
  /** Somebody else is refreshing right now. */
  | { readonly kind: 'busy' }
  /** The last refresh failed; not before then. */
  | { readonly kind: 'resting'; readonly forMs: number }
  /** The connection ended, or has a newer version. */
  | { readonly kind: 'over' };

/**
 * What came too late to be kept. `ended`: the connection is no more. `replaced`: it has newer tokens of the
 * same consent. `reconnected`: tokens of a newer consent of the same account. `account_changed`: of another
 * account.
 */
export type Late = 'ended' | 'replaced' | 'reconnected' | 'account_changed';

export interface Refreshes {
  /** Good for a minute, longer than any call to a provider and the saving after it may take. */
  lease(connectionId: string, credentialVersion: number): Promise<LeaseAnswer>;
  /** Tries for as long as the lease allows: nobody else has these tokens. */
  save(lease: Lease, tokens: Tokens, at: Date): Promise<'saved' | Late>;
  /** Keeps a refresh token that came in an answer which was of no other use. Else as `save`. */
  keepRefreshToken(lease: Lease, refreshToken: string): Promise<'kept' | Late>;
  /** Counts for whoever holds the lease: after it has passed on, the next holder decides. */
  fail(lease: Lease, failure: FailedRefresh): Promise<void>;
  /** Gives the lease back after nothing was tried. */
  release(lease: Lease, restMs: number): Promise<void>;
}

/** The queue of refreshes ahead of expiry. */
export interface DueRefreshes {
  /**
   * Some that are due; the claim lasts ninety seconds, so that a replica that dies loses none. Where an
   * answer was lost, or its waiter was, the next try is due a minute before the access token ends.
   */
  claim(provider: Provider, limit: number): Promise<readonly DueRefresh[]>;
  /** Milliseconds until the next falls due, below 0 when it has; undefined: there is none. */
  nextInMs(provider: Provider): Promise<number | undefined>;
}

export type DueRefresh = Pick<StandingConnection, 'connectionId' | 'credentialVersion'>;

/** `late`: the connection ended or had other tokens by then. Otherwise why it failed. */
export type RefreshOutcome = 'refreshed' | 'late' | ProviderFailure;

export interface FailedRefresh {
  readonly reason: string;
  /** Nothing but the user can help: the connection must be renewed, and its tokens go. */
  readonly final: boolean;
  readonly restMs: number;
  /** As in `Lease`. */
  readonly answerLost: boolean;
  readonly at: Date;
}

/** A connection, as far as asking about it needs it. */
export interface CheckedConnection {
  readonly connectionId: string;
  readonly userId: string;
  readonly provider: Provider;
  readonly credentialVersion: number;
}

export interface DueCheck extends CheckedConnection {
  /** Somebody has reason to doubt it. */
  readonly doubted: boolean;
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

/** When the provider is asked whether a connection still stands, and what is done when it does not. */
export interface Checks {
  /** Of these providers those that this replica may ask regularly, for half a minute. */
  lead(providers: readonly Provider[]): Promise<ReadonlySet<Provider>>;
  /** Some that are due, and due again after `restMs`. */
  claimDue(provider: Provider, limit: number, restMs: number): Promise<readonly DueCheck[]>;
  /** Some that are doubted, but of these providers; doubted again after `restMs` unless settled by then. */
  claimDoubted(resting: readonly Provider[], restMs: number): Promise<readonly DueCheck[]>;
  /** These were claimed and not tried: they are due at once. */
  giveBack(checks: readonly DueCheck[]): Promise<void>;
  settle(connectionId: string, restMs: number): Promise<void>;
  /** It was tried and stays due, as far as `overdueMs` is concerned, until it is `answered`. */
  leaveUnanswered(check: DueCheck): Promise<void>;
  answered(check: DueCheck): Promise<void>;
  /**
   * The provider no longer knows these credentials. Says nothing about a newer version, nor about a connection
   * that a refresh ended for another reason than that the provider refused it.
   */
  end(connection: CheckedConnection, at: Date): Promise<void>;
  /** How long the check that waits longest has been due, tried or not; 0 when none is. */
  overdueMs(provider: Provider): Promise<number>;
}

export interface SecurityEvents {
  /** Records it, and has it take effect, unless it came before. */
  take(provider: Provider, event: SecurityEvent, at: Date): Promise<void>;
}

/** Whose tokens are to be revoked: of their connection, if there is one. */
export interface TokenOwner {
  readonly userId: string;
  readonly provider: Provider;
  /** Undefined: not known. */
  readonly accountId?: string;
}

/** Tokens that are to be revoked at their provider, kept until it has been done. */
export interface Revocations {
  add(owner: TokenOwner, token: RevocableToken): Promise<void>;
  /** Some that are due; the claim lasts a minute, so that a worker that dies loses none. */
  claim(): Promise<readonly QueuedRevocation[]>;
  /**
   * Takes it from the queue. A connection that ended learns of the outcome: with its last token, or at once
   * of one that is not `done`. The worst stands.
   */
  settle(queued: QueuedRevocation, outcome: RevocationOutcome, at: Date): Promise<void>;
  postpone(revocationId: string, restMs: number): Promise<void>;
}

export interface QueuedRevocation {
  readonly revocationId: string;
  /** Opens what lies sealed in the queue. */
  readonly token: () => RevocableToken;
  readonly connectionId: string | null;
  readonly provider: string;
  /** This one included. */
  readonly attempts: number;
  readonly queuedAt: Date;
}
