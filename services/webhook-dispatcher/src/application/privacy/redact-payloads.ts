import { AppError } from '@junction/errors';
import { deliveryNotFound } from '../delivery-not-found.js';
import { findWebhook } from '../find-webhook.js';
import type { Ports } from '../ports.js';
import type { Transaction } from '../unit-of-work.js';

/** Redacts what a delivery, and those that repeat it, sent and what came back. A repeated call does no harm. */
export const redactPayload =
  (ports: Pick<Ports, 'unitOfWork' | 'webhooks'>) =>
  async (userId: string, webhookId: string, deliveryId: string): Promise<void> => {
    await findWebhook(ports)(userId, webhookId);
    const isFound = await ports.unitOfWork.inTransaction((tx) => redact(tx, webhookId, deliveryId));
    if (!isFound) throw deliveryNotFound();
  };

/**
 * Redacts the payload within a transaction. That the delivery was made, attempted and how it ended stays. Returns false
 * when there is no such delivery. @throws AppError `delivery_under_way`
 */
export async function redact(
  tx: Transaction,
  webhookId: string,
  deliveryId: string,
): Promise<boolean> {
  const sharing = await tx.payloads.sharing(webhookId, deliveryId);
  if (sharing.length === 0) return false;
  const deliveryIds = sharing.flatMap((day) => day.deliveryIds);
  if (await tx.pending.hasAny({ deliveryIds })) {
    throw new AppError(
      'delivery_under_way',
      'This delivery, or one that repeats it, still waits for its next attempt and needs its payload.',
    );
  }
  for (const deliveries of sharing) await tx.payloads.redact(deliveries);
  return true;
}
