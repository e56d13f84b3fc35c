import type { Ports } from '../ports.js';
import { revokeSession } from '../revoke-session.js';
import type { SessionCaller } from './ports.js';

/** Ends one session of the caller's. Does nothing where they have none of this id. */
export const endOwnSession =
  (ports: Ports) =>
  async ({ userId }: SessionCaller, sessionId: string): Promise<void> => {
    if (await ports.sessions.isOver(sessionId, userId)) return;
    await revokeSession(ports, sessionId, 'logout');
  };

/** Ends all sessions of the caller's but the one they ask from, or that one too. */
export const endAllSessions =
  (ports: Ports) =>
  async ({ userId, sessionId: own }: SessionCaller, includeOwn: boolean): Promise<void> => {
    const sessions = await ports.unitOfWork.inTransaction((tx) => tx.sessions.ofUser(userId));
    for (const { sessionId } of sessions) {
      if (includeOwn || sessionId !== own) await revokeSession(ports, sessionId, 'logout');
    }
  };
