import { AppError } from '@junction/errors';

export const userNotFound = (): AppError =>
  new AppError('user_not_found', 'There is no such user.');
