import { AppError } from '@junction/errors';
import type { Command, Decider } from '@junction/eventsourcing';
import {
  type About,
  type Connected,
  type ConnectionEvent,
  type ConnectionStatus,
  hasEnded,
  isLive,
  type RevocationOutcome,
  type RevokedReason,
} from './events.js';

export type ConnectionCommand =
  | Command<'Connect', Connected>
  | Command<'RecordRefresh', { readonly at: string }>
  | Command<'RecordRefreshFailure', RefreshFailure>
  | Command<'RecordRevocation', Revocation>
  | Command<'Disconnect', { readonly at: string }>
  | Command<'RecordRevocationOutcome', { readonly outcome: RevocationOutcome; readonly at: string }>
  | Command<'MakePrimary', { readonly at: string }>
  | Command<'Delete', { readonly at: string }>;

interface RefreshFailure {
  /** The version that could not be refreshed. */
  readonly credentialVersion: number;
  readonly reason: string;
  /** Whether only the user can help. */
  readonly final: boolean;
  readonly at: string;
}

interface Revocation {
  /** The version there was. */
  readonly credentialVersion: number;
  readonly reason: RevokedReason;
  readonly at: string;
}

export type Connection = { readonly status: 'not_connected' } | ConnectedOnce;

/** Known since its first connect; the same connection through every later one. */
interface ConnectedOnce extends Omit<About, 'at'> {
  readonly status: ConnectionStatus | 'deleted';
}

export const connectionDecider: Decider<Connection, ConnectionCommand, ConnectionEvent> = {
  initialState: { status: 'not_connected' },
  decide,
  evolve,
};

function decide(command: ConnectionCommand, connection: Connection): readonly ConnectionEvent[] {
  if (command.type === 'Connect') return connect(command.data, connection);
  if (connection.status === 'not_connected') return [];

  switch (command.type) {
    case 'RecordRefresh':
      return recover(command.data.at, connection);
    case 'RecordRefreshFailure':
      return fail(command.data, connection);
    case 'RecordRevocation':
      return revoke(command.data, connection);
    case 'Disconnect':
      return disconnect(connection, 'user', command.data.at);
    case 'RecordRevocationOutcome':
      return recordRevocationOutcome(command.data, connection);
    case 'MakePrimary':
      return makePrimary(command.data.at, connection);
    case 'Delete': {
      if (connection.status === 'deleted') return [];
      const data = about(connection, command.data.at);
      return [
        ...disconnect(connection, 'user_deleted', command.data.at),
        { type: 'integration.deleted', data },
      ];
    }
  }
}

type DataOf<Type> = Extract<ConnectionCommand, { type: Type }>['data'];

function connect(data: DataOf<'Connect'>, connection: Connection): readonly ConnectionEvent[] {
  if (connection.status === 'deleted') {
    throw new AppError('user_deleted', 'The user of this connection was deleted.');
  }
  return [{ type: 'integration.connected', data }];
}

function recover(at: string, connection: ConnectedOnce): readonly ConnectionEvent[] {
  if (connection.status !== 'degraded') return [];
  return [{ type: 'integration.recovered', data: about(connection, at) }];
}

function fail(
  { credentialVersion, reason, final, at }: DataOf<'RecordRefreshFailure'>,
  connection: ConnectedOnce,
): readonly ConnectionEvent[] {
  if (!isLive(connection.status)) return [];

  const data = { ...about(connection, at), credentialVersion, reason };
  if (final) return [{ type: 'integration.reconnect_required', data }];
  return connection.status === 'active' ? [{ type: 'integration.degraded', data }] : [];
}

/** Revokes a live connection, or one that has to be reconnected. A connection that has ended cannot end again. */
function revoke(
  { credentialVersion, reason, at }: DataOf<'RecordRevocation'>,
  connection: ConnectedOnce,
): readonly ConnectionEvent[] {
  if (!isLive(connection.status) && connection.status !== 'reconnect_required') return [];
  const data = { ...about(connection, at), credentialVersion, reason };
  return [{ type: 'integration.revoked', data }];
}

function disconnect(
  connection: ConnectedOnce,
  reason: 'user' | 'user_deleted',
  at: string,
): readonly ConnectionEvent[] {
  if (connection.status === 'disconnected' || connection.status === 'deleted') return [];
  return [{ type: 'integration.disconnected', data: { ...about(connection, at), reason } }];
}

/** Records the outcome while the connection is ended: after another connect the outcome matters to no user. */
function recordRevocationOutcome(
  { outcome, at }: DataOf<'RecordRevocationOutcome'>,
  connection: ConnectedOnce,
): readonly ConnectionEvent[] {
  if (connection.status !== 'disconnected') return [];
  return [{ type: 'integration.revocation_settled', data: { ...about(connection, at), outcome } }];
}

function makePrimary(at: string, connection: ConnectedOnce): readonly ConnectionEvent[] {
  if (hasEnded(connection.status)) {
    const message = 'This integration has ended. Connect the account again to make it primary.';
    throw new AppError('integration_ended', message);
  }
  return [{ type: 'integration.made_primary', data: about(connection, at) }];
}

const about = (
  { userId, identityProvider, provider, account }: ConnectedOnce,
  at: string,
): About => ({ userId, identityProvider, provider, account, at });

function evolve(connection: Connection, event: ConnectionEvent): Connection {
  if (event.type === 'integration.connected') {
    const { userId, identityProvider, provider, account } = event.data;
    return { status: 'active', userId, identityProvider, provider, account };
  }
  if (connection.status === 'not_connected') return connection;

  switch (event.type) {
    case 'integration.degraded':
      return { ...connection, status: 'degraded' };
    case 'integration.recovered':
      return { ...connection, status: 'active' };
    case 'integration.reconnect_required':
      return { ...connection, status: 'reconnect_required' };
    case 'integration.revoked':
      return { ...connection, status: 'revoked' };
    case 'integration.disconnected':
      return { ...connection, status: 'disconnected' };
    case 'integration.revocation_settled':
    case 'integration.made_primary':
      return connection;
    case 'integration.deleted':
      return { ...connection, status: 'deleted' };
  }
}
