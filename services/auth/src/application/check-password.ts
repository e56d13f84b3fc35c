import { AppError } from '@junction/errors';
import { ownAddress } from './me.js';
import type { Ports, Visitor } from './ports.js';

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

/** The user whose password this is, with its hash. An unknown address takes as long to refuse as a known one. */
export async function prove(
  { accounts, passwords }: Ports,
  email: string,
  password: string,
): Promise<{ readonly userId: string; readonly passwordHash: string } | undefined> {
  const known = await accounts.credential(email);
  const isRight = await passwords.verify(known?.passwordHash, password);
  return isRight ? known : undefined;
}
