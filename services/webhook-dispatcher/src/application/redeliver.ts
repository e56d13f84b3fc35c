import { requireSendable } from './find-webhook.js';
import type { Ports } from './ports.js';
import { deliveryNotFound } from './read-deliveries.js';

/** Sends a delivery again. Gives the id of the new one (dlv_…). */
export const redeliver =
  (ports: Pick<Ports, 'webhooks' | 'redeliveries'>) =>
  async (userId: string, webhookId: string, deliveryId: string): Promise<string> => {
    await requireSendable(ports, userId, webhookId);
    const again = await ports.redeliveries.add(webhookId, deliveryId);
    if (again !== undefined) return again;
    throw deliveryNotFound();
  };
