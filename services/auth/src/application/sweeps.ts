import type { Needs } from './needs.js';
import { streamOf } from './streams.js';

/** What time makes of sessions while nobody asks. */
export interface Sweeps {
  /** Erases the successors of spent tokens whose reuse window is over. */
  forgetSuccessors(): Promise<void>;
  /** Ends the sessions that nothing can continue, and forgets their tokens. */
  endExpiredSessions(): Promise<void>;
}

export const createSweeps = ({ sessions, handleSession, now }: Needs): Sweeps => ({
  forgetSuccessors: () => sessions.eraseSuccessors(now()),

  async endExpiredSessions() {
    const at = now();
    await sessions.deleteSpentTokens(at);
    for (const sessionId of await sessions.expired(at)) {
      const data = { reason: 'expired' as const, at: at.toISOString() };
      await handleSession(streamOf.session(sessionId), { type: 'RevokeSession', data });
    }
  },
});
