import { AppError } from '@junction/errors';

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';

const idWith = (prefix: string) => {
  const form = new RegExp(`^${prefix}_${UUID}$`);
  return (text: string): boolean => form.test(text);
};

export const isWebhookId = idWith('wh');
export const isDeliveryId = idWith('dlv');
export const isOperationId = idWith('op');
export const isMessageId = idWith('msg');

type Named = 'webhook' | 'delivery' | 'operation' | 'event';

/**
 * Returns an id from its text. @throws AppError `…_not_found` when the text cannot be an id, as for an id that does not
 * exist.
 */
const idOf = (isId: (text: string) => boolean, what: Named) => (text: string) => {
  if (isId(text)) return text;
  throw new AppError(`${what}_not_found`, `There is no such ${what}.`);
};

export const webhookIdOf = idOf(isWebhookId, 'webhook');
export const deliveryIdOf = idOf(isDeliveryId, 'delivery');
export const operationIdOf = idOf(isOperationId, 'operation');
export const messageIdOf = idOf(isMessageId, 'event');
