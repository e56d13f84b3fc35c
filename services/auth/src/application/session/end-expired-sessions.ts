import type { Ports } from '../ports.js';
import { revokeSession } from '../revoke-session.js';

/** Ends the sessions that nothing can continue, and deletes their spent tokens. */
export const endExpiredSessions = (ports: Ports) => async (): Promise<void> => {
  const at = ports.now();
  await ports.sessions.deleteSpentTokens(at);
  for (const sessionId of await ports.sessions.expired(at)) {
    await revokeSession(ports, sessionId, 'expired');
  }
};
