import { requireSendable } from './find-webhook.js';
import type { Ports } from './ports.js';
import { deliveryNotFound } from './read-deliveries.js';

/**
 * Sends a delivery again: an ended one as a new delivery, a waiting one at once. Returns the id of what is sent
 * (dlv_…).
 */
export const redeliver =
  (ports: Pick<Ports, 'webhooks' | 'redeliveries' | 'webhookChanged'>) =>
  async (userId: string, webhookId: string, deliveryId: string): Promise<string> => {
    await requireSendable(ports, userId, webhookId);
    const again = await ports.redeliveries.add(webhookId, deliveryId);
    if (again === undefined) throw deliveryNotFound();
    ports.webhookChanged({ webhookId, userId });
    return again;
  };
