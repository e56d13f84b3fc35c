import type { Ports } from '../ports.js';
import { revokeSession } from '../revoke-session.js';

export interface NamedSessions {
  readonly sessionIds: readonly string[];
  readonly refreshTokens: readonly string[];
}

/** Ends the sessions that these ids and refresh tokens name. Whoever holds one may; unknown ones do nothing. */
export const endSessions =
  (ports: Ports) =>
  async ({ sessionIds, refreshTokens }: NamedSessions): Promise<void> => {
    const owners = await Promise.all(
      refreshTokens.map((token) => ports.sessions.ofRefreshToken(token)),
    );
    const ended = new Set([...sessionIds, ...owners.flatMap((owner) => owner?.sessionId ?? [])]);
    for (const sessionId of ended) await revokeSession(ports, sessionId, 'logout');
  };
