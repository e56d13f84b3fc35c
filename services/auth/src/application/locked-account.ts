import { AppError } from '@junction/errors';
import type { LockedAccount } from './account/ports.js';
import { accountGone } from './me.js';
import type { Transaction } from './unit-of-work.js';

/** Locks an account. AppError `unauthenticated` for a user who is gone. */
export async function lockedAccount(tx: Transaction, userId: string): Promise<LockedAccount> {
  const account = await tx.accounts.lock(userId);
  if (account) return account;
  throw accountGone();
}

export interface Caller {
  readonly userId: string;
  /** The session of the request; undefined: there is none here. */
  readonly sessionId: string | undefined;
}

/**
 * Locks the account of a request, whose session, if there is one, must be alive. Whatever ends the sessions of an
 * account locks it too, so either the end is seen here, or it comes later and finds what was done. AppError
 * `invalid_token`, `unauthenticated`.
 */
export async function lockInSession(
  tx: Transaction,
  { userId, sessionId }: Caller,
): Promise<LockedAccount> {
  const account = await lockedAccount(tx, userId);
  if (sessionId === undefined || (await tx.sessions.isAlive(sessionId, userId))) return account;
  throw sessionOver();
}

/** The answer to what a session asked for that has ended before it was done. */
const sessionOver = (): AppError =>
  new AppError('invalid_token', 'The session has ended meanwhile. Sign in again.');
