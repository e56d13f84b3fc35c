import { AppError } from '@junction/errors';

/** The answer to what a session asked for that has ended before it was done. */
export const sessionOver = (): AppError =>
  new AppError('invalid_token', 'The session has ended meanwhile. Sign in again.');
