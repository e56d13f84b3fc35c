import { AppError } from '@junction/errors';
import type { Ports, Visitor } from '../ports.js';
import { prove } from '../session/login.js';
import { ownAddress } from './me.js';

/**
 * Demands the password of a user who is signed in already. Counted like a login. AppError `invalid_password`,
 * `too_many_attempts`, `account_elsewhere`.
 */
export async function checkPassword(
  ports: Ports,
  userId: string,
  { password, visitor }: { readonly password: string; readonly visitor: Visitor },
): Promise<void> {
  const email = await ownAddress(ports, userId);
  const proved = await ports.limits.login({ email, visitor }, () => prove(ports, email, password));
  if (proved?.userId === userId) return;
  throw new AppError('invalid_password', 'The password is wrong.');
}
