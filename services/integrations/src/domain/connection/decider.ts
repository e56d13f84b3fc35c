import { AppError } from '@junction/errors';
import type { Command, Decider } from '@junction/eventsourcing';
import type {
  About,
  Connected,
  ConnectionEvent,
  Provider,
  Refreshed,
  RevocationOutcome,
  RevokedReason,
} from './events.js';
import { isLive } from './is-live.js';

export type ConnectionCommand =
  | Command<'Connect', Omit<Connected, 'credentialVersion'>>
  | Command<'RecordRefresh', OfVersion & Omit<Refreshed, 'credentialVersion' | keyof Owner>>
  | Command<'RecordRefreshFailure', OfVersion & RefreshFailure>
  | Command<'RecordRevocation', Revocation>
  | Command<'Disconnect', { readonly at: string }>
  | Command<'SettleRevocation', { readonly outcome: RevocationOutcome; readonly at: string }>
  | Command<'Forget', { readonly at: string }>;

/** What a refresh was done with. Another version by now means that it came too late to matter. */
interface OfVersion {
  readonly refreshedVersion: number;
}

interface RefreshFailure {
  readonly reason: string;
  /** Nothing but the user can help. */
  readonly final: boolean;
  readonly at: string;
}

interface Revocation {
  readonly reason: RevokedReason;
  /** What was found revoked. Undefined: the whole connection, whatever version it has. */
  readonly revokedVersion?: number;
  readonly at: string;
}

type Owner = Omit<About, 'at'>;

export type Connection =
  | { readonly status: 'not_connected'; readonly credentialVersion: 0 }
  | ConnectedOnce;

/** Known since its first connect; the same connection through every later one. */
interface ConnectedOnce {
  readonly status:
    | 'active'
    | 'degraded'
    | 'reconnect_required'
    | 'revoked'
    | 'disconnected'
    | 'forgotten';
  readonly userId: string;
  readonly provider: Provider;
  readonly credentialVersion: number;
}

export const connectionDecider: Decider<Connection, ConnectionCommand, ConnectionEvent> = {
  initialState: { status: 'not_connected', credentialVersion: 0 },
  decide,
  evolve,
};

function decide(command: ConnectionCommand, connection: Connection): readonly ConnectionEvent[] {
  if (command.type === 'Connect') return connect(command.data, connection);
  if (connection.status === 'not_connected') return [];

  switch (command.type) {
    case 'RecordRefresh':
      return refresh(command.data, connection);
    case 'RecordRefreshFailure':
      return fail(command.data, connection);
    case 'RecordRevocation':
      return revoke(command.data, connection);
    case 'Disconnect':
      return disconnect(connection, 'user', command.data.at);
    case 'SettleRevocation':
      return settleRevocation(command.data, connection);
    case 'Forget': {
      if (connection.status === 'forgotten') return [];
      const data = about(connection, command.data.at);
      return [
        ...disconnect(connection, 'user_deleted', command.data.at),
        { type: 'integration.forgotten', data },
      ];
    }
  }
}

type DataOf<Type> = Extract<ConnectionCommand, { type: Type }>['data'];

function connect(data: DataOf<'Connect'>, connection: Connection): readonly ConnectionEvent[] {
  if (connection.status === 'forgotten') {
    throw new AppError('conflict', 'user_deleted', 'The user of this connection was deleted.');
  }
  const credentialVersion = connection.credentialVersion + 1;
  return [{ type: 'integration.connected', data: { ...data, credentialVersion } }];
}

function refresh(
  { refreshedVersion, ...refreshed }: DataOf<'RecordRefresh'>,
  connection: ConnectedOnce,
): readonly ConnectionEvent[] {
  if (!isLive(connection.status)) throw ended();
  if (connection.credentialVersion !== refreshedVersion) throw replaced();

  const owner = about(connection, refreshed.at);
  const credentialVersion = refreshedVersion + 1;
  return [
    { type: 'integration.refreshed', data: { ...owner, ...refreshed, credentialVersion } },
    ...(connection.status === 'degraded'
      ? [{ type: 'integration.recovered' as const, data: owner }]
      : []),
  ];
}

function fail(
  { refreshedVersion, reason, final, at }: DataOf<'RecordRefreshFailure'>,
  connection: ConnectedOnce,
): readonly ConnectionEvent[] {
  // A refusal of old credentials says nothing about the newer ones.
  if (!isLive(connection.status) || connection.credentialVersion !== refreshedVersion) return [];

  const data = { ...about(connection, at), credentialVersion: refreshedVersion, reason };
  if (final) return [{ type: 'integration.reconnect_required', data }];
  return connection.status === 'active' ? [{ type: 'integration.degraded', data }] : [];
}

/** What ended here, or was known to have ended there, cannot end there again. */
function revoke(
  { reason, revokedVersion, at }: DataOf<'RecordRevocation'>,
  connection: ConnectedOnce,
): readonly ConnectionEvent[] {
  const { credentialVersion } = connection;
  if (revokedVersion !== undefined && revokedVersion !== credentialVersion) return [];
  if (!isLive(connection.status) && connection.status !== 'reconnect_required') return [];
  const data = { ...about(connection, at), credentialVersion, reason };
  return [{ type: 'integration.revoked', data }];
}

function disconnect(
  connection: ConnectedOnce,
  reason: 'user' | 'user_deleted',
  at: string,
): readonly ConnectionEvent[] {
  if (connection.status === 'disconnected' || connection.status === 'forgotten') return [];
  return [{ type: 'integration.disconnected', data: { ...about(connection, at), reason } }];
}

/** Told as long as the connection is ended: afterwards it is about tokens that nobody asks for. */
function settleRevocation(
  { outcome, at }: DataOf<'SettleRevocation'>,
  connection: ConnectedOnce,
): readonly ConnectionEvent[] {
  if (connection.status !== 'disconnected') return [];
  return [{ type: 'integration.revocation_settled', data: { ...about(connection, at), outcome } }];
}

const about = ({ userId, provider }: ConnectedOnce, at: string): About => ({
  userId,
  provider,
  at,
});

const ended = (): AppError =>
  new AppError('conflict', 'connection_ended', 'The connection ended while it was refreshed.');

const replaced = (): AppError =>
  new AppError('conflict', 'credentials_replaced', 'The connection has newer credentials by now.');

function evolve(connection: Connection, event: ConnectionEvent): Connection {
  if (event.type === 'integration.connected') {
    const { userId, provider, credentialVersion } = event.data;
    return { status: 'active', userId, provider, credentialVersion };
  }
  if (connection.status === 'not_connected') return connection;

  switch (event.type) {
    case 'integration.refreshed':
      return { ...connection, credentialVersion: event.data.credentialVersion };
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
      return connection;
    case 'integration.forgotten':
      return { ...connection, status: 'forgotten' };
  }
}
