import { AppError } from '@junction/errors';
import type { Ports } from '../ports.js';
import type { User } from './ports.js';

/** The caller's account. AppError `unauthenticated` when it was deleted a moment ago. */
export const me =
  ({ accounts }: Ports) =>
  async (userId: string): Promise<User> => {
    const user = await accounts.find(userId);
    if (user) return user;
    throw accountGone();
  };

export const accountGone = (): AppError =>
  new AppError('unauthenticated', 'unauthenticated', 'This account no longer exists.');
