import { pageOf } from '@junction/service-kit/http';
import { z } from 'zod';
import type { ConnectOutcome } from '../../application/connecting/connect.js';
import type { HistoryPage } from '../../application/history/history.js';
import type { HistoryItem } from '../../application/history/history-item.js';
import type { ConnectionRecord, IdentityProvider } from '../../application/ports.js';
import {
  isLive,
  PROVIDERS,
  type Provider,
  REVOCATION_OUTCOMES,
} from '../../domain/connection/events.js';
import { cursorOf } from './history/history-query.js';

const provider = z.enum(PROVIDERS).describe('The kind of account.');
const scopes = z.array(z.string()).readonly();

export const integration = z
  .object({
    integration_id: z.string().meta({ example: 'con_0198c0de-0123-7abc-8def-00000000abcd' }),
    provider,
    identity_provider: z.string().meta({ example: 'google' }),
    is_primary: z.boolean().describe('It serves where its kind alone is named.'),
    connected: z.boolean().describe('Its tokens are there, and are handed out.'),
    connected_at: z.date(),
    status: z.enum(['active', 'degraded', 'reconnect_required', 'revoked', 'disconnected']),
    status_reason: z.string().nullable().describe('A stable code.'),
    granted_scopes: scopes,
    missing_scopes: scopes.describe('Asked for and not granted.'),
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
  integration_id: row.connection_id,
  provider: row.provider,
  identity_provider: row.identity_provider,
  is_primary: row.is_primary,
  connected: isLive(row.status),
  connected_at: row.connected_at,
  status: row.status,
  status_reason: row.status_reason,
  granted_scopes: row.granted_scopes,
  missing_scopes: row.missing_scopes,
  account: row.account,
  renewable: row.renewable,
  last_refreshed_at: row.last_refreshed_at,
  provider_revocation: row.provider_revocation,
});

export const identityProvider = z
  .object({
    id: z.string(),
    display_name: z.string(),
    icon: z.string().nullable().describe('A data: URI of an image.'),
    providers: z.array(provider).readonly(),
  })
  .meta({ id: 'IdentityProvider' });

/** Returns the view of an identity provider that a user may choose. */
export const identityProviderView = ({ id, displayName, icon, providers }: IdentityProvider) => ({
  id,
  display_name: displayName,
  icon: icon ?? null,
  providers,
});

export const notConnected = z
  .object({ provider, connected: z.literal(false), status: z.literal('not_connected') })
  .meta({ id: 'NotConnected', description: 'A kind of which no account was ever connected.' });

export const notConnectedView = (provider: Provider): z.input<typeof notConnected> => ({
  provider,
  connected: false,
  status: 'not_connected',
});

export const connected = z
  .object({
    success: z.literal(true),
    status: z.literal('connected'),
    integration_id: z.string(),
    notices: z
      .array(z.object({ code: z.string(), message: z.string() }))
      .optional()
      .describe('What is not as one would expect.'),
  })
  .meta({ id: 'Connected' });

/** Returns the answer to a connect. `notices` are there only when the connection is not as one would expect. */
export function connectedView(outcome: ConnectOutcome): z.input<typeof connected> {
  const notices = noticesOf(outcome);
  const { connectionId: integration_id } = outcome;
  return {
    success: true,
    status: 'connected',
    integration_id,
    ...(notices.length > 0 && { notices }),
  };
}

const noticesOf = (outcome: ConnectOutcome) => [
  ...(outcome.missingScopes.length > 0
    ? [
        {
          code: 'missing_scopes',
          message: `Asked for and not granted: ${outcome.missingScopes.join(', ')}.`,
        },
      ]
    : []),
  ...(outcome.unaskedScopes.length > 0
    ? [
        {
          code: 'unasked_scopes',
          message: `Granted without being asked for: ${outcome.unaskedScopes.join(', ')}.`,
        },
      ]
    : []),
  ...(outcome.renewable
    ? []
    : [
        {
          code: 'no_refresh_token',
          message:
            'The provider gave no refresh token. Connect again when the access token has expired.',
        },
      ]),
];

const historyItem = z
  .object({
    type: z.string().meta({ example: 'integration.refreshed' }),
    at: z.iso.datetime(),
    actor: z.enum(['user', 'provider', 'system']),
    detail: z.string().describe('Sentences for a person: what happened, why, and what to do.'),
    account: z.string().optional(),
    granted_scopes: scopes.optional(),
    missing_scopes: scopes.optional(),
    credential_version: z.int().optional(),
    expires_at: z.iso.datetime().optional().describe('When the access token runs out.'),
    reason: z.string().optional().describe('A stable code.'),
  })
  .meta({ id: 'IntegrationHistoryItem' });

export const historyPage = pageOf(historyItem);

export const historyView = ({ items, next }: HistoryPage): z.input<typeof historyPage> => ({
  items: items.map(itemView),
  next_cursor: next === undefined ? null : cursorOf(next),
});

const itemView = (item: HistoryItem): z.input<typeof historyItem> => ({
  type: item.type,
  at: item.at,
  actor: item.actor,
  detail: item.detail,
  account: item.account,
  granted_scopes: item.grantedScopes,
  missing_scopes: item.missingScopes,
  credential_version: item.credentialVersion,
  expires_at: item.expiresAt,
  reason: item.reason,
});
