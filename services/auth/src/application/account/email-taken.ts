import { AppError } from '@junction/errors';

/** A second user with an address is refused in two places: before the work, and by the database. */
export const emailTaken = (cause?: unknown): AppError =>
  new AppError('email_taken', 'An account with this e-mail address exists. Log in.', { cause });
