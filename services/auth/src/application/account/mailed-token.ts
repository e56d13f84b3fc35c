import { AppError } from '@junction/errors';
import type { Ports } from '../ports.js';
import type { Transaction } from '../unit-of-work.js';
import type { LockedAccount, TakenToken, WantedToken } from './ports.js';

/** A token that was taken, and its account. */
export interface RedeemedToken {
  readonly token: TakenToken;
  readonly account: LockedAccount;
}

/**
 * Takes a token, locks its account and runs `work`, all or nothing. Undefined when there is no such token. AppError of
 * `work`, which leaves the token unused.
 */
export async function redeem(
  { unitOfWork }: Pick<Ports, 'unitOfWork'>,
  wanted: WantedToken,
  work: (tx: Transaction, redeemed: RedeemedToken) => Promise<void>,
): Promise<LockedAccount | undefined> {
  return unitOfWork.inTurn(wanted.tokenHash.toString('base64url'), async (tx) => {
    const token = await tx.mailedTokens.take(wanted);
    const account = token && (await tx.accounts.lock(token.userId));
    if (token === undefined || account === undefined) return undefined;
    await work(tx, { token, account });
    return account;
  });
}

export const invalidToken = (): AppError =>
  new AppError(
    'invalid_or_used_token',
    'This link has expired, was used before, or is incomplete. Ask for a new one.',
  );
