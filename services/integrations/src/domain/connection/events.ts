import type { Event } from '@junction/eventsourcing';

/** The kinds of account that a user connects. Both have the same life. */
export const PROVIDERS = ['mailbox', 'calendar'] as const;
export type Provider = (typeof PROVIDERS)[number];

export const isProvider = (name: string): name is Provider =>
  PROVIDERS.some((provider) => provider === name);

/** Our client at an identity provider for one kind. Each client has its own redirect URI, breakers and queues. */
export interface Client {
  /** Id of the identity provider in PROVIDERS_FILE, for instance google. */
  readonly identityProvider: string;
  readonly provider: Provider;
}

/** Name of a client, for instance google/mailbox. */
export type ClientName = `${string}/${Provider}`;

export const clientName = ({ identityProvider, provider }: Client): ClientName =>
  `${identityProvider}/${provider}`;

/** Returns the client with this name. Ids hold no slash. */
export function clientNamed(name: ClientName): Client {
  const [identityProvider, provider] = name.split('/') as [string, Provider];
  return { identityProvider, provider };
}

/** Status of a connection that its user sees. */
export type ConnectionStatus =
  | 'active'
  | 'degraded'
  | 'reconnect_required'
  | 'revoked'
  | 'disconnected';

/** Statuses of a connection whose tokens may be handed out. */
export const LIVE = ['active', 'degraded'] as const;

/** Tells whether a connection of this status has tokens that may be handed out. */
export const isLive = (status: string): boolean => LIVE.some((live) => live === status);

/** Tells whether a connection of this status was ended by its user or by its provider. */
export const hasEnded = (status: string): boolean =>
  status === 'revoked' || status === 'disconnected' || status === 'deleted';

/**
 * Decisions about a connection. A refresh that works is no decision: it is a row of the table `refreshes`. Stored
 * forever: add types and fields, but never rename one or give it a second meaning. Tokens, codes and verifiers must not
 * be stored here; a credential is known by its version alone.
 */
export type ConnectionEvent =
  | Event<'integration.connected', Connected>
  | Event<'integration.degraded', Failed>
  | Event<'integration.recovered', About>
  | Event<'integration.reconnect_required', Failed>
  | Event<'integration.revoked', Revoked>
  | Event<'integration.disconnected', About & { readonly reason: DisconnectReason }>
  | Event<'integration.revocation_settled', RevocationSettled>
  | Event<'integration.made_primary', About>
  | Event<'integration.deleted', About>;

export interface About extends Client {
  readonly userId: string;
  /** Account at the provider, as a person would name it. A personal field. */
  readonly account: string;
  /** ISO 8601, UTC. */
  readonly at: string;
}

/** Scopes in our names. */
export interface Scopes {
  readonly grantedScopes: readonly string[];
  /** Scopes that were requested and not granted. */
  readonly missingScopes: readonly string[];
}

export interface Connected extends About, Scopes {
  /** Version of the credentials. Grows by one with each connect and each refresh; handed out with the credentials. */
  readonly credentialVersion: number;
  /** Account as the provider names it: its `sub`. A personal field. */
  readonly accountId: string;
  /** Makes the connection the primary of its kind. Absent: the primary stays as it was. */
  readonly madePrimary?: true;
  /** Whether the provider gave a refresh token. */
  readonly renewable: boolean;
  /** Time at which the access token expires. */
  readonly expiresAt: string;
}

interface Failed extends About {
  /** Version of the credentials that could not be refreshed. */
  readonly credentialVersion: number;
  /** Stable code, for instance invalid_grant. */
  readonly reason: string;
}

interface Revoked extends About {
  /** The last version there was. */
  readonly credentialVersion: number;
  readonly reason: RevokedReason;
}

/**
 * Reasons for which a connection ended at the provider: the provider said so itself (`token_revoked` and the like), or
 * called the refresh token `inactive` when asked (RFC 7662).
 */
export const REVOKED_REASONS = [
  'token_revoked',
  'tokens_revoked',
  'account_disabled',
  'account_purged',
  'inactive',
] as const;
export type RevokedReason = (typeof REVOKED_REASONS)[number];

/** Outcome of revoking, at the provider, the tokens of a connection that was ended here. */
interface RevocationSettled extends About {
  readonly outcome: RevocationOutcome;
}

/**
 * Outcomes, the best first. `unsupported`: the provider cannot revoke, or not without ending another connection of the
 * same account. `failed`: the revocation was given up.
 */
export const REVOCATION_OUTCOMES = ['done', 'unsupported', 'failed'] as const;
export type RevocationOutcome = (typeof REVOCATION_OUTCOMES)[number];

export type DisconnectReason = 'user' | 'user_deleted';
