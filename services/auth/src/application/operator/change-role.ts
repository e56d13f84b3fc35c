import { AppError } from '@junction/errors';
import type { Role } from '../../domain/user/events.js';
import { sessionEnds, userAppend } from '../account/account-appends.js';
import type { Ports } from '../ports.js';

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
 * nothing. AppError `unauthenticated` for a user who is gone.
 */
export const changeRole =
  ({ accounts, now }: Pick<Ports, 'accounts' | 'now'>) =>
  async (userId: string, role: Role, by: string): Promise<void> => {
    const at = now().toISOString();
    await accounts.change(userId, (account) => {
      const changes = userAppend(account, { type: 'ChangeRole', data: { role, by, at } });
      if (changes.length === 0 || role !== 'user') return changes;
      const ends = sessionEnds(account.sessions, { userId, reason: 'role_changed', at });
      return [...changes, ...ends];
    });
  };

export const userNotFound = (): AppError =>
  new AppError('user_not_found', 'There is no such user.');
