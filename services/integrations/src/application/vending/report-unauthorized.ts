import type { AskProvider } from '../ending/ports.js';
import type { Ports } from '../ports.js';
import { kindNamed } from '../provider-of.js';
import { toAppError } from '../provider-refusal.js';
import { audited, type OnConnection, type TokenCall } from './audit.js';
import { notConnected } from './get-access-token.js';
import type { CurrentConnection } from './ports.js';

/** Age below which a refresh is no answer for a token that its provider can't be asked about. */
const NEW_MS = 60_000;
const MESSAGES = {
  done: 'refused access token reported',
  refused: 'report of a refused access token failed',
};

export interface RefusedToken extends TokenCall {
  readonly credentialVersion: number;
}

type ReportPorts = Pick<Ports, 'currentConnections' | 'log' | 'now'>;

export type Reported = Pick<CurrentConnection, 'status' | 'credentialVersion'>;

/**
 * Checks a token with the provider, because a worker says that the provider refused it. The connection is then
 * refreshed or ends, whichever the answer calls for. Returns the connection afterwards. Audited, with the version that
 * was reported. AppError `not_connected`, `provider_unavailable`, `refresh_in_progress`, `stopping`.
 */
export const reportUnauthorized =
  (ports: ReportPorts, ask: AskProvider) =>
  async (refused: RefusedToken): Promise<Reported> =>
    audited(ports.log, refused, MESSAGES, async (onConnection) =>
      examine(ports, ask, refused, onConnection),
    );

async function examine(
  ports: ReportPorts,
  ask: AskProvider,
  { userId, provider, integrationId, credentialVersion }: RefusedToken,
  onConnection: OnConnection,
): Promise<Reported> {
  const kind = kindNamed(provider);
  const current = async () => {
    const connection = await ports.currentConnections.find(userId, kind, integrationId);
    if (connection === undefined) throw notConnected();
    return connection;
  };

  const connection = await current();
  const { connectionId, credential } = connection;
  onConnection({ connectionId, credentialVersion });
  // An older version tells nothing about the connection: it has a newer token by now.
  if (credential === undefined || connection.credentialVersion !== credentialVersion) {
    return connection;
  }
  const suspected = ports.now().getTime() - credential.issuedAt.getTime() >= NEW_MS;
  const asked = { ...connection, userId, suspected };
  const token = { token: credential.open(), hint: 'access_token' } as const;
  await ask(asked, token).catch(toAppError);
  return current();
}
