import { findWebhook } from './find-webhook.js';
import type { Ports } from './ports.js';
import { deliveryNotFound } from './read-deliveries.js';

/** Redacts what a delivery, and those that repeat it, sent and what came back. Again does no harm. */
export const redactPayload =
  (ports: Pick<Ports, 'webhooks' | 'payloads'>) =>
  async (userId: string, webhookId: string, deliveryId: string): Promise<void> => {
    await findWebhook(ports)(userId, webhookId);
    if (!(await ports.payloads.redact(webhookId, deliveryId))) throw deliveryNotFound();
  };

/**
 * Has the payloads redacted of all deliveries that the user has by now, in the background, and gives the moment
 * that counts. Asking again moves it on.
 */
export const redactAllPayloads =
  ({ payloads }: Pick<Ports, 'payloads'>) =>
  async (userId: string): Promise<Date> =>
    payloads.requestRedaction(userId);
