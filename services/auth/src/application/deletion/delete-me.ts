import { AppError } from '@junction/errors';
import { checkPassword } from '../check-password.js';
import { closeAccount } from '../close-account.js';
import { type Caller, lockInSession } from '../locked-account.js';
import type { Ports, Visitor } from '../ports.js';
import type { DeletionReceipt } from './ports.js';

export interface DeleteMeRequest {
  /** Demanded of a user who has a password here. */
  readonly password: string | undefined;
  readonly visitor: Visitor;
}

/**
 * Deletes the caller's account, which links of mails bring back for 72 hours where its address is verified. AppError
 * `password_required`, `invalid_password`, `too_many_attempts`, `invalid_token`, and `unauthenticated` when somebody
 * was faster.
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
    return ports.unitOfWork.inTurn(userId, async (tx) =>
      closeAccount(tx, ports, await lockInSession(tx, caller)),
    );
  };

const passwordRequired = (): AppError =>
  new AppError('password_required', 'Give the password to delete the account.');
