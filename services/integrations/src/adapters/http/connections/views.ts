import { z } from 'zod';
import type { ConnectionRecord } from '../../../application/connections/ports.js';
import { isLive, type Provider, REVOCATION_OUTCOMES } from '../../../domain/connection/events.js';
import { provider, scopes } from '../schemas.js';

export const integration = z
  .object({
    integration_id: z.string().meta({ example: 'con_0198c0de-0123-7abc-8def-00000000abcd' }),
    provider,
    identity_provider: z.string().meta({ example: 'google' }),
    is_primary: z
      .boolean()
      .describe('True for the integration that serves wherever its kind alone is named.'),
    connected: z.boolean().describe('True when the tokens are there and are handed out.'),
    connected_at: z.date(),
    status: z.enum(['active', 'degraded', 'reconnect_required', 'revoked', 'disconnected']),
    status_reason: z.string().nullable().describe('A stable code.'),
    granted_scopes: scopes,
    missing_scopes: scopes.describe('Scopes that were asked for and not granted.'),
    account: z.string().describe('As the provider names it to a person.'),
    renewable: z.boolean().describe('Whether the provider gave a refresh token.'),
    last_refreshed_at: z.date().nullable(),
    provider_revocation: z
      .enum(['pending', ...REVOCATION_OUTCOMES])
      .nullable()
      .describe('Whether tokens of a connection that was ended here were revoked there too.'),
  })
  .meta({ id: 'Integration', description: 'An account of a user at an identity provider.' });

/** Returns the view of a connection for its user, without tokens. */
export const integrationView = (row: ConnectionRecord): z.input<typeof integration> => ({
  integration_id: row.connectionId,
  provider: row.provider,
  identity_provider: row.identityProvider,
  is_primary: row.isPrimary,
  connected: isLive(row.status),
  connected_at: row.connectedAt,
  status: row.status,
  status_reason: row.statusReason,
  granted_scopes: row.grantedScopes,
  missing_scopes: row.missingScopes,
  account: row.account,
  renewable: row.renewable,
  last_refreshed_at: row.lastRefreshedAt,
  provider_revocation: row.providerRevocation,
});

export const notConnected = z
  .object({ provider, connected: z.literal(false), status: z.literal('not_connected') })
  .meta({ id: 'NotConnected', description: 'A kind of which no account was ever connected.' });

export const notConnectedView = (provider: Provider): z.input<typeof notConnected> => ({
  provider,
  connected: false,
  status: 'not_connected',
});
