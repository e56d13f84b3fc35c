import { sessionEnds, userAppend } from '../account/account-appends.js';
import type { Ports } from '../ports.js';

/** How many were there. */
export interface RemovedFactors {
  readonly factors: number;
  readonly sessions: number;
}

/**
 * Removes every second factor of a user who has lost them, or into whose account another person has put one, and
 * ends the user's sessions, because they may be that person's. Does nothing where there is no factor. AppError
 * `unauthenticated` for a user who is gone.
 */
export const removeFactors =
  ({ factors, now }: Pick<Ports, 'factors' | 'now'>) =>
  async (userId: string): Promise<RemovedFactors> => {
    const at = now().toISOString();
    const before = await factors.change(userId, { removeAll: true }, (account) => {
      const data = { factors: account.factors, at };
      return [
        ...userAppend(account, { type: 'RemoveFactors', data }),
        ...sessionEnds(account.sessions, { userId, reason: 'operator', at }),
      ];
    });
    return { factors: before.factors.length, sessions: before.sessions.length };
  };
