import { AppError } from '@junction/errors';

export const deliveryNotFound = () =>
  new AppError('delivery_not_found', 'There is no such delivery.');
