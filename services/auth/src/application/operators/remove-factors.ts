import { forgetFactors } from '../forget-factors.js';
import type { Ports } from '../ports.js';
import { lockNamed } from './change-role.js';

/** How many were there. */
export interface RemovedFactors {
  readonly factors: number;
  readonly sessions: number;
}

/**
 * Removes every second factor of a user who has lost them, or into whose account another person has put one, and
 * ends the user's sessions, because they may be that person's. Does nothing where there is no factor. AppError
 * `user_not_found` for a user who is gone.
 */
export const removeFactors =
  ({ unitOfWork, now }: Pick<Ports, 'unitOfWork' | 'now'>) =>
  async (userId: string): Promise<RemovedFactors> =>
    unitOfWork.inTurn(userId, async (tx) => {
      await lockNamed(tx, userId);
      const factors = await tx.factors.list(userId);
      const sessions = await tx.sessions.ofUser(userId);
      const at = now().toISOString();
      await tx.handleUser(userId, { type: 'RemoveFactors', data: { factors, at } });
      await tx.totp.delete(userId);
      await tx.passkeys.delete(userId);
      await forgetFactors(tx, userId);
      await tx.endSessions(sessions, { userId, reason: 'operator', at });
      return { factors: factors.length, sessions: sessions.length };
    });
