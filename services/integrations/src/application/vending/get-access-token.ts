import { AppError } from '@junction/errors';
import { refuseEnded, serveOrRefresh } from '../../domain/vending.js';
import type { Ports } from '../ports.js';
import { kindNamed } from '../provider-of.js';
import type { Refresher } from '../refreshing/ports.js';
import { audited, type OnConnection, type TokenCall } from './audit.js';

const MESSAGES = { done: 'access token vended', refused: 'access token refused' };
/** Most rounds of a call. Each further round follows a change that came in between. */
const ROUNDS_MAX = 4;

type VendingPorts = Pick<Ports, 'currentConnections' | 'log' | 'now'>;

export interface TokenRequest extends TokenCall {
  /** Scopes in our names; the token must carry all of them. */
  readonly scopes: readonly string[];
  readonly minLifetimeMs: number;
}

export interface VendedToken {
  readonly accessToken: string;
  readonly expiresAt: Date;
  readonly scopes: readonly string[];
  readonly credentialVersion: number;
  readonly connectionId: string;
}

/**
 * Hands out an access token, refreshed before if it would end too soon. Reads the row each time, so no caller gets a
 * token after a disconnect was answered. Audited. AppError `not_connected`, `disconnected`, `revoked`,
 * `reconnect_required`, `missing_scope`, `provider_unavailable`, `refresh_in_progress`, `stopping`.
 */
export const getAccessToken =
  (ports: VendingPorts, refresher: Pick<Refresher, 'renew'>) =>
  async (request: TokenRequest): Promise<VendedToken> =>
    audited(ports.log, request, MESSAGES, async (onConnection) =>
      vendTo(ports, refresher, request, onConnection),
    );

async function vendTo(
  { currentConnections, now }: VendingPorts,
  refresher: Pick<Refresher, 'renew'>,
  { userId, provider, integrationId, scopes, minLifetimeMs }: TokenRequest,
  onConnection: OnConnection,
): Promise<VendedToken> {
  const kind = kindNamed(provider);
  const wanted = { scopes, minLifetimeMs, askedAt: now() };

  for (let round = 1; round <= ROUNDS_MAX; round++) {
    const connection = await currentConnections.find(userId, kind, integrationId);
    if (connection === undefined) throw notConnected();
    onConnection(connection);
    const { status, grantedScopes, credentialVersion, credential } = connection;
    refuseEnded(status);
    if (credential === undefined) continue;

    const { expiresAt } = credential;
    if (serveOrRefresh({ ...connection, ...credential }, wanted, now()) === 'refresh') {
      await refresher.renew(connection);
      continue;
    }
    return {
      accessToken: credential.open(),
      expiresAt,
      scopes: grantedScopes,
      credentialVersion,
      connectionId: connection.connectionId,
    };
  }
  throw new AppError('connection_contended', 'The connection keeps changing. Ask again.');
}

export const notConnected = (): AppError =>
  new AppError('not_connected', 'This user never connected this provider or account.');
