import type { Role } from '../../domain/user/events.js';
import type { Ports } from '../ports.js';
import type { Transaction } from '../unit-of-work.js';
import { userNotFound } from '../user-not-found.js';

/** A user, by id or by address. */
export type Named = { readonly userId: string } | { readonly email: string };

/** The id of a user. AppError `user_not_found`. */
export const userNamed =
  ({ accounts }: Pick<Ports, 'accounts'>) =>
  async (named: Named): Promise<string> => {
    const id =
      'email' in named ? await accounts.idOf(named.email) : (await accounts.find(named.userId))?.id;
    if (id !== undefined) return id;
    throw userNotFound();
  };

/**
 * Gives a user a role. Whoever loses one loses her sessions, whose tokens say that she has it. Again it does
 * nothing. AppError `user_not_found` for a user who is gone.
 */
export const changeRole =
  ({ unitOfWork, now }: Pick<Ports, 'unitOfWork' | 'now'>) =>
  async (userId: string, role: Role, by: string): Promise<void> => {
    const at = now().toISOString();
    await unitOfWork.inTurn(userId, async (tx) => {
      await lockNamed(tx, userId);
      const changes = await tx.handleUser(userId, { type: 'ChangeRole', data: { role, by, at } });
      if (changes.length === 0 || role !== 'user') return;
      await tx.endSessions(await tx.sessions.ofUser(userId), {
        userId,
        reason: 'role_changed',
        at,
      });
    });
  };

/** Locks the account that an operator has named. AppError `user_not_found` for a user who is gone. */
export async function lockNamed(tx: Transaction, userId: string): Promise<void> {
  if ((await tx.accounts.lock(userId)) === undefined) throw userNotFound();
}
