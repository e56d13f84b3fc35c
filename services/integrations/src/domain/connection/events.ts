import { type DataOf, type EventsOf, personal } from '@junction/eventsourcing';
import { z } from 'zod';

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

/**
 * Outcomes, the best first. `unsupported`: the provider cannot revoke, or not without ending another connection of the
 * same account. `failed`: the revocation was given up.
 */
export const REVOCATION_OUTCOMES = ['done', 'unsupported', 'failed'] as const;
export type RevocationOutcome = (typeof REVOCATION_OUTCOMES)[number];

const about = {
  userId: z.uuid(),
  /** Id of the identity provider. */
  identityProvider: z.string(),
  provider: z.enum(PROVIDERS),
  /** Account at the provider, as a person would name it. */
  account: personal(z.string()),
  at: z.iso.datetime(),
};
/** Version of the credentials. Grows by one with each connect and each refresh; handed out with the credentials. */
const credentialVersion = z.int().positive();
/** `reason`: a stable code, for instance invalid_grant. `credentialVersion`: that which could not be refreshed. */
const failed = z.object({ ...about, credentialVersion, reason: z.string() });

/**
 * Decisions about a connection. A refresh that works is no decision: it is a row of the table `refreshes`. Stored
 * forever: add types and fields, but never rename one or give it a second meaning. Tokens, codes and verifiers must not
 * be stored here; a credential is known by its version alone.
 */
export const connectionEvents = {
  'integration.connected': z.object({
    ...about,
    /** Scopes in our names. */
    grantedScopes: z.array(z.string()),
    /** Scopes that were requested and not granted. */
    missingScopes: z.array(z.string()),
    credentialVersion,
    /** Account as the provider names it: its `sub`. */
    accountId: personal(z.string()),
    /** Makes the connection the primary of its kind. Absent: the primary stays as it was. */
    madePrimary: z.literal(true).exactOptional(),
    /** Whether the provider gave a refresh token. */
    renewable: z.boolean(),
    /** Time at which the access token expires. */
    expiresAt: z.iso.datetime(),
  }),
  'integration.degraded': failed,
  'integration.recovered': z.object(about),
  'integration.reconnect_required': failed,
  'integration.revoked': z.object({
    ...about,
    /** The last version there was. */
    credentialVersion,
    reason: z.enum(REVOKED_REASONS),
  }),
  'integration.disconnected': z.object({ ...about, reason: z.enum(['user', 'user_deleted']) }),
  /** Outcome of revoking, at the provider, the tokens of a connection that was ended here. */
  'integration.revocation_settled': z.object({ ...about, outcome: z.enum(REVOCATION_OUTCOMES) }),
  'integration.made_primary': z.object(about),
  'integration.deleted': z.object(about),
};

export type ConnectionEvent = EventsOf<typeof connectionEvents>;
export type About = DataOf<ConnectionEvent, 'integration.deleted'>;
export type Connected = DataOf<ConnectionEvent, 'integration.connected'>;
export type Scopes = Pick<Connected, 'grantedScopes' | 'missingScopes'>;
