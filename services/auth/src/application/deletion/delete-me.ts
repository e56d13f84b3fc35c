import { AppError } from '@junction/errors';
import { checkPassword } from '../check-password.js';
import { deleteUser } from '../delete-user.js';
import type { Caller } from '../locked-account.js';
import { accountGone } from '../me.js';
import type { Ports, Visitor } from '../ports.js';
import type { DeletionReceipt } from './ports.js';

export interface DeleteMeRequest {
  /** Demanded of a user who has a password here. */
  readonly password: string | undefined;
  readonly visitor: Visitor;
}

/**
 * Deletes the caller's account. AppError `password_required`, `invalid_password`, `too_many_attempts`, and
 * `unauthenticated` when somebody was faster.
 */
export const deleteMe =
  (ports: Ports) =>
  async (caller: Caller, { password, visitor }: DeleteMeRequest): Promise<DeletionReceipt> => {
    const { userId } = caller;
    // The password of another issuer's user is not known here.
    if ((await ports.accounts.passwordHash(userId)) !== undefined) {
      if (password === undefined) throw passwordRequired();
      await checkPassword(ports, caller, { password, visitor });
    }
    const receipt = await deleteUser(ports)(userId);
    if (receipt) return receipt;
    throw accountGone();
  };

const passwordRequired = (): AppError =>
  new AppError('password_required', 'Give the password to delete the account.');
