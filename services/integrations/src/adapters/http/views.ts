import type { ConnectOutcome } from '../../application/connect.js';
import type { HistoryPage } from '../../application/history.js';
import type { HistoryItem } from '../../application/history-item.js';
import type { ConnectionRecord, IdentityProvider } from '../../application/ports.js';
import { isLive, type Provider } from '../../domain/connection/events.js';
import { cursorOf } from './history-query.js';

/** A connection as its user sees it. Tokens are never among it. */
export const integrationView = (row: ConnectionRecord) => ({
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

/** One that a user may choose. */
export const identityProviderView = ({ id, displayName, icon, providers }: IdentityProvider) => ({
  id,
  display_name: displayName,
  icon: icon ?? null,
  providers,
});

/** A kind of which no account was ever connected. */
export const notConnectedView = (provider: Provider) => ({
  provider,
  connected: false,
  status: 'not_connected',
});

/** What a connect answers. `notices` are there only when something is not as one would expect. */
export function connectedView(outcome: ConnectOutcome) {
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
            'The provider gave nothing to renew access with. Connect again when the access token has expired.',
        },
      ]),
];

export const historyView = ({ items, next }: HistoryPage) => ({
  items: items.map(itemView),
  next_cursor: next === undefined ? null : cursorOf(next),
});

const itemView = (item: HistoryItem) => ({
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
