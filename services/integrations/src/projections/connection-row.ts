import type { Projection } from '@junction/eventsourcing';
import {
  type Connected,
  type ConnectionEvent,
  type ConnectionStatus,
  isLive,
  type Provider,
  type RevocationOutcome,
} from '../domain/connection/events.js';

/** Connection as its events left it; the changes of refreshes are in the table `refreshes`. */
export interface ConnectionRow {
  readonly connection_id: string;
  readonly user_id: string;
  readonly identity_provider: string;
  readonly provider: Provider;
  readonly status: ConnectionStatus;
  /** Stable code. */
  readonly status_reason: string | null;
  /** Version of the last connect, as are the scopes. */
  readonly credential_version: number;
  readonly granted_scopes: readonly string[];
  readonly missing_scopes: readonly string[];
  /** Account as a person would name it. */
  readonly account: string;
  /** Account as the provider names it: its `sub`. */
  readonly account_id: string;
  readonly renewable: boolean;
  /** Start of the last connection. */
  readonly connected_at: Date;
  /** Outcome of revoking the tokens at the provider, when a connection with tokens was ended here. */
  readonly provider_revocation: 'pending' | RevocationOutcome | null;
  /**
   * Time at which the connection was made the primary of its kind; null: never. The latest of those that stand is the
   * primary.
   */
  readonly primary_at: Date | null;
  /** Version of the connection's stream. */
  readonly version: number;
}

export const connectionRow: Projection<ConnectionRow, ConnectionEvent> = {
  table: 'connections',
  key: 'connection_id',
  aggregate: 'connection',

  evolve(row, event, { streamId, version }) {
    if (event.type === 'integration.connected') {
      const connectionId = streamId.replace(/^connection-/, '');
      const primary_at = event.data.madePrimary ? new Date(event.data.at) : row?.primary_at;
      return { ...connected(event.data, connectionId), primary_at: primary_at ?? null, version };
    }
    if (row === undefined || event.type === 'integration.deleted') return undefined;
    return { ...row, ...changed(row, event), version };
  },
};

const connected = (
  data: Connected,
  connectionId: string,
): Omit<ConnectionRow, 'version' | 'primary_at'> => ({
  connection_id: connectionId,
  user_id: data.userId,
  identity_provider: data.identityProvider,
  provider: data.provider,
  status: 'active',
  status_reason: null,
  credential_version: data.credentialVersion,
  granted_scopes: data.grantedScopes,
  missing_scopes: data.missingScopes,
  account: data.account,
  account_id: data.accountId,
  renewable: data.renewable,
  connected_at: new Date(data.at),
  provider_revocation: null,
});

type LaterEvent = Exclude<
  ConnectionEvent,
  { type: 'integration.connected' | 'integration.deleted' }
>;

function changed(row: ConnectionRow, { type, data }: LaterEvent): Partial<ConnectionRow> {
  switch (type) {
    case 'integration.degraded':
      return { status: 'degraded', status_reason: data.reason };
    case 'integration.recovered':
      return { status: 'active', status_reason: null };
    case 'integration.reconnect_required':
      return { status: 'reconnect_required', status_reason: data.reason };
    case 'integration.revoked':
      return { status: 'revoked', status_reason: data.reason };
    case 'integration.disconnected':
      return {
        status: 'disconnected',
        status_reason: data.reason,
        // Otherwise its tokens were gone before.
        provider_revocation: isLive(row.status) ? 'pending' : null,
      };
    case 'integration.made_primary':
      return { primary_at: new Date(data.at) };
    case 'integration.revocation_settled':
      return { provider_revocation: data.outcome };
  }
}
