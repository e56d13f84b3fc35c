import { AppError } from '@junction/errors';

export const invalidToken = (): AppError =>
  new AppError(
    'invalid_or_used_token',
    'This link has expired, was used before, or is incomplete. Ask for a new one.',
  );
