import type { Event } from '@junction/eventsourcing';

/** The kinds of account that a user connects. Both have the same life. */
export const PROVIDERS = ['mailbox', 'calendar'] as const;
export type Provider = (typeof PROVIDERS)[number];

export const isProvider = (name: string): name is Provider =>
  PROVIDERS.some((provider) => provider === name);

/** Our client at an identity provider for one kind: it has a redirect URI, breakers and queues of its own. */
export interface Client {
  /** Its id in PROVIDERS_FILE, for instance google. */
  readonly identityProvider: string;
  readonly provider: Provider;
}

/** For instance google/mailbox. */
export type ClientName = `${string}/${Provider}`;

export const clientName = ({ identityProvider, provider }: Client): ClientName =>
  `${identityProvider}/${provider}`;

/** Ids hold no slash. */
export function clientNamed(name: ClientName): Client {
  const [identityProvider, provider] = name.split('/') as [string, Provider];
  return { identityProvider, provider };
}

/** Of a status: tokens are there, and may be handed out. */
export const isLive = (status: string): boolean => status === 'active' || status === 'degraded';

/** Of a status: its user, or its provider, has ended it. */
export const hasEnded = (status: string): boolean =>
  status === 'revoked' || status === 'disconnected' || status === 'deleted';

/**
 * What was decided about a connection. A refresh that works is no decision: it is a row of the table
 * `refreshes`. Stored forever: add types and fields, but never rename one or give it a second meaning.
 * Tokens, codes and verifiers have no place here; a credential is known by its version alone.
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
  /** The account at the provider, as a person would name it. A personal field. */
  readonly account: string;
  /** ISO 8601, UTC. */
  readonly at: string;
}

/** In our names. */
export interface Scopes {
  readonly grantedScopes: readonly string[];
  /** Asked for and not granted. */
  readonly missingScopes: readonly string[];
}

export interface Connected extends About, Scopes {
  /** Grows by one with each connect and each refresh; handed out with the credentials. */
  readonly credentialVersion: number;
  /** The account as the provider names it: its `sub`. A personal field. */
  readonly accountId: string;
  /** It is the primary one of its kind with this. Absent: that is as it was. */
  readonly madePrimary?: true;
  /** Whether the provider gave a refresh token. */
  readonly renewable: boolean;
  /** When the access token runs out. */
  readonly expiresAt: string;
}

interface Failed extends About {
  /** The version that could not be refreshed. */
  readonly credentialVersion: number;
  /** A stable code, for instance invalid_grant. */
  readonly reason: string;
}

interface Revoked extends About {
  /** The last version there was. */
  readonly credentialVersion: number;
  readonly reason: RevokedReason;
}

/**
 * How the end at the provider became known: it said so itself (`token_revoked` and the like), or it
 * calls the refresh token `inactive` when asked (RFC 7662).
 */
export const REVOKED_REASONS = [
  'token_revoked',
  'tokens_revoked',
  'account_disabled',
  'account_purged',
  'inactive',
] as const;
export type RevokedReason = (typeof REVOKED_REASONS)[number];

/** What became of revoking at the provider the tokens of a connection that was ended here. */
interface RevocationSettled extends About {
  readonly outcome: RevocationOutcome;
}

/**
 * The best first. `unsupported`: the provider cannot be asked to, or not without ending another connection of the same
 * account. `failed`: it was given up.
 */
export const REVOCATION_OUTCOMES = ['done', 'unsupported', 'failed'] as const;
export type RevocationOutcome = (typeof REVOCATION_OUTCOMES)[number];

export type DisconnectReason = 'user' | 'user_deleted';
