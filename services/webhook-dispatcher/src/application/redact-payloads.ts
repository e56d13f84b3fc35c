import { findWebhook } from './find-webhook.js';
import type { Ports } from './ports.js';
import { deliveryNotFound } from './read-deliveries.js';

/** Redacts what a delivery, and those that repeat it, sent and what came back. A repeated call does no harm. */
export const redactPayload =
  (ports: Pick<Ports, 'webhooks' | 'payloads'>) =>
  async (userId: string, webhookId: string, deliveryId: string): Promise<void> => {
    await findWebhook(ports)(userId, webhookId);
    if (!(await ports.payloads.redact(webhookId, deliveryId))) throw deliveryNotFound();
  };

/**
 * Has the payloads of all deliveries redacted that the user has by now, in the background. Returns the moment that
 * counts, which a repeated request moves on.
 */
export const redactAllPayloads =
  ({ payloads }: Pick<Ports, 'payloads'>) =>
  async (userId: string): Promise<Date> =>
    payloads.requestRedaction(userId);
