import type { Client, ClientName, Scopes } from '../../domain/connection/events.js';
import type { RevocableToken, Tokens } from '../oauth-provider.js';
import type { ProviderFailure } from '../provider-error.js';

/** Makes exactly one refresh for one version over all replicas. The refresh goes on when its caller has hung up. */
export interface Refresher {
  /**
   * Returns when the connection has other credentials than these, or has ended. AppError
   * `provider_unavailable`, `refresh_in_progress`, `stopping`, `token_not_renewable`.
   */
  renew(connection: DueRefresh): Promise<void>;
  /** Drains the token requests. Callers wait for the answers under way three seconds more. */
  drain(): Promise<void>;
}

/** Connection whose credentials of this version are to be refreshed. */
export interface DueRefresh extends Client {
  readonly connectionId: string;
  readonly credentialVersion: number;
}

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

/** `late`: the connection ended or had other tokens by then. Otherwise why it failed. */
export type RefreshOutcome = 'refreshed' | 'late' | ProviderFailure;

/** Leases that decide which replica may refresh. */
export interface RefreshLeases {
  /** Acquires a lease for a minute, longer than any call to a provider and the saving after it may take. */
  acquire(connectionId: string, credentialVersion: number): Promise<LeaseAnswer>;
  /**
   * Saves the tokens of a refresh and ends the lease, in the user's turn and in one statement. Returns false, with
   * nothing saved, when that is not all there is to do: the connection has ended, has other tokens or has to recover.
   */
  save(refreshed: Refreshed): Promise<boolean>;
  /** Releases the lease when nothing was tried. */
  release(lease: Lease, backoffMs: number): Promise<void>;
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
  readonly lease: Lease;
  /** Milliseconds until the next refresh may be tried. */
  readonly backoffMs: number;
  readonly failures: 0 | 1;
  readonly answerLost: boolean;
  /** Whether the answer left open if the grant still stands. */
  readonly unclear: boolean;
}

/**
 * Reason why tokens came too late to be kept. `ended`: the connection is gone. `replaced`: it has newer tokens of the
 * same consent. `reconnected`: it has tokens of a newer consent.
 */
export type Late = 'ended' | 'replaced' | 'reconnected';

export interface StoredCredential {
  readonly credentialVersion: number;
  /** Consent of the tokens, as in `Lease`. */
  readonly consent: string;
}

export interface NewCredential {
  readonly connectionId: string;
  readonly version: number;
  readonly tokens: Pick<Tokens, 'accessToken' | 'refreshToken' | 'expiresAt'>;
  readonly issuedAt: Date;
  /** Time at which the credentials are due to be refreshed without a request for them. */
  readonly refreshAt: Date;
}

export type RevocableCredential =
  | { readonly kind: 'readable'; readonly token: RevocableToken }
  /** Credentials whose row was changed, or whose key is gone. */
  | { readonly kind: 'unreadable'; readonly error: Error };

export interface RecordedRefresh extends Scopes {
  readonly credentialVersion: number;
  readonly at: Date;
  readonly expiresAt: Date;
}

/** Next version of credentials, which a refresh under a lease brought. */
export interface Refreshed extends NewCredential {
  readonly lease: Lease;
  readonly scopes: Scopes;
}
