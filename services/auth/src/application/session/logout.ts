import type { Ports } from '../ports.js';
import { revokeSession } from '../revoke-session.js';
import type { SessionCaller } from './ports.js';

/** Ends the session of the caller, and that of the refresh token when it is the caller's too. */
export const logout =
  (ports: Ports) =>
  async ({ userId, sessionId }: SessionCaller, token: string | undefined): Promise<void> => {
    const other = token === undefined ? undefined : await ports.sessions.ofRefreshToken(token);
    await revokeSession(ports, sessionId, 'logout');
    if (other?.userId === userId && other.sessionId !== sessionId) {
      await revokeSession(ports, other.sessionId, 'logout');
    }
  };
