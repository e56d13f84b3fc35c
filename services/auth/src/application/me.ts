import { AppError } from '@junction/errors';
import { accountElsewhere } from '../domain/user/decider.js';
import type { User } from './account/ports.js';
import type { Ports } from './ports.js';

/** The caller's account. AppError `unauthenticated` when it was deleted a moment ago. */
export const me =
  ({ accounts }: Ports) =>
  async (userId: string): Promise<User> => {
    const user = await accounts.find(userId);
    if (user) return user;
    throw accountGone();
  };

/** The address of an account of our own. AppError `account_elsewhere` for a trusted issuer's user. */
export async function ownAddress(ports: Ports, userId: string): Promise<string> {
  const { email } = await me(ports)(userId);
  if (email === null) throw accountElsewhere();
  return email;
}

export const accountGone = (cause?: unknown): AppError =>
  new AppError('unauthenticated', 'This account no longer exists.', { cause });
