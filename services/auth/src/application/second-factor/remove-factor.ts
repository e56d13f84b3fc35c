import { AppError } from '@junction/errors';
import type { NamedFactor } from '../../domain/user/events.js';
import { forgetFactors } from '../forget-factors.js';
import { lockInSession } from '../locked-account.js';
import type { Ports } from '../ports.js';
import type { SessionCaller } from '../session/ports.js';
import type { Transaction } from '../unit-of-work.js';

/** Removes the authenticator. Does nothing where there is none. AppError `invalid_token`. */
export const removeTotp =
  ({ unitOfWork, now }: Ports) =>
  async (caller: SessionCaller): Promise<void> =>
    unitOfWork.inTurn(caller.userId, async (tx) => {
      const factors = await factorsIn(tx, caller);
      if (!factors.some(({ factor }) => factor === 'totp')) return;
      await handle(tx, caller.userId, { factor: 'totp' }, now());
      await tx.totp.delete(caller.userId);
      if (factors.length === 1) await forgetFactors(tx, caller.userId);
    });

/** Removes a passkey. AppError `passkey_not_found`, `invalid_token`. */
export const removePasskey =
  ({ unitOfWork, now }: Ports) =>
  async (caller: SessionCaller, passkeyId: string): Promise<void> =>
    unitOfWork.inTurn(caller.userId, async (tx) => {
      const factors = await factorsIn(tx, caller);
      if (!factors.some((one) => one.passkeyId === passkeyId)) throw passkeyNotFound();
      await handle(tx, caller.userId, { factor: 'passkey', passkeyId }, now());
      await tx.passkeys.delete(caller.userId, passkeyId);
      if (factors.length === 1) await forgetFactors(tx, caller.userId);
    });

async function factorsIn(tx: Transaction, caller: SessionCaller): Promise<readonly NamedFactor[]> {
  await lockInSession(tx, caller);
  return tx.factors.list(caller.userId);
}

const handle = async (tx: Transaction, userId: string, factor: NamedFactor, at: Date) =>
  tx.handleUser(userId, {
    type: 'RemoveFactor',
    data: { ...factor, at: at.toISOString() },
  });

const passkeyNotFound = (): AppError =>
  new AppError('passkey_not_found', 'You have no passkey with this id.');
