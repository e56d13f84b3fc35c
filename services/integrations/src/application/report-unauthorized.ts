import { audited, type OnConnection, type TokenCall } from './audit.js';
import { ask } from './check.js';
import { notConnected } from './get-access-token.js';
import type { CurrentConnection, Ports } from './ports.js';
import { kindNamed } from './provider-of.js';
import { toAppError } from './provider-refusal.js';
import type { Refresher } from './refresh.js';

/** Where a provider can't be asked about a token, a refresh is no answer for one that is this new. */
const NEW_MS = 60_000;
const MESSAGES = {
  done: 'refused access token reported',
  refused: 'report of a refused access token failed',
};

export interface RefusedToken extends TokenCall {
  readonly credentialVersion: number;
}

export type Reported = Pick<CurrentConnection, 'status' | 'credentialVersion'>;

/**
 * A worker says that the provider refused a token we gave it: the provider is asked about it now, and
 * the connection is refreshed or ends, whichever the answer calls for. Gives how it is then. Audited, with
 * the version that was reported. AppError `not_connected`, `provider_unavailable`, `refresh_in_progress`,
 * `stopping`.
 */
export const reportUnauthorized =
  (ports: Ports, refresher: Refresher) =>
  async (refused: RefusedToken): Promise<Reported> =>
    audited(ports.log, refused, MESSAGES, async (onConnection) =>
      examine(ports, refresher, refused, onConnection),
    );

async function examine(
  ports: Ports,
  refresher: Refresher,
  { userId, provider, integrationId, credentialVersion }: RefusedToken,
  onConnection: OnConnection,
): Promise<Reported> {
  const kind = kindNamed(provider);
  const current = async () => {
    const connection = await ports.connections.current(userId, kind, integrationId);
    if (connection === undefined) throw notConnected();
    return connection;
  };

  const connection = await current();
  const { connectionId, credential } = connection;
  onConnection({ connectionId, credentialVersion });
  // Of an older version nothing is to be learned: there is a newer token by now.
  if (credential === undefined || connection.credentialVersion !== credentialVersion) {
    return connection;
  }
  const token = credential.open();
  if (token === undefined) return current();
  const suspected = ports.now().getTime() - credential.issuedAt.getTime() >= NEW_MS;
  const asked = { ...connection, userId, suspected };
  await ask(ports, refresher, asked, { token, hint: 'access_token' }).catch(toAppError);
  return current();
}
