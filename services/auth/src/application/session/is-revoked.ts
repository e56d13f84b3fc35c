import type { Ports } from '../ports.js';

/** Whether the session among these ids, or without one the user, is gone. */
export const isRevoked =
  ({ accounts, sessions }: Ports) =>
  async (ids: readonly string[]): Promise<boolean> => {
    const sessionId = ids.find((id) => id.startsWith('ses_'));
    const userId = ids.find((id) => !id.includes('_')) ?? '';
    // An API key has no session; that its row is there was seen when it was looked up.
    if (sessionId === undefined) return (await accounts.find(userId)) === undefined;
    return sessions.isOver(sessionId, userId);
  };
