import { AppError } from '@junction/errors';
import { isDeliveryId, isWebhookId } from './webhook-schemas.js';

/** What cannot be an id is not found, like an id that is nobody's. */
export function webhookIdOf(id: string): string {
  if (isWebhookId(id)) return id;
  throw new AppError('not_found', 'webhook_not_found', 'There is no such webhook.');
}

export function deliveryIdOf(id: string): string {
  if (isDeliveryId(id)) return id;
  throw new AppError('not_found', 'delivery_not_found', 'There is no such delivery.');
}
