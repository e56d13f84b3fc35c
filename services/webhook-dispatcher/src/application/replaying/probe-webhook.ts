import { AppError } from '@junction/errors';
import { requireSendable } from '../find-webhook.js';
import type { Ports } from '../ports.js';
import type { DueAttempt } from '../unit-of-work.js';

/**
 * Tries a webhook now: the delivery that goes next is attempted at once, also while the circuit is open, which closes
 * when the attempt succeeds. Returns the attempt; undefined: none waits, and the next event is sent at once. @throws
 * AppError `webhook_disabled`, `webhook_paused`, `bytes_spent`
 */
export const probeWebhook =
  (ports: Pick<Ports, 'unitOfWork' | 'webhooks' | 'webhookChanged' | 'now' | 'budget'>) =>
  async (userId: string, webhookId: string): Promise<DueAttempt | undefined> => {
    const askedAt = ports.now();
    if ((await requireSendable(ports, userId, webhookId)) === 'paused') {
      throw new AppError(
        'webhook_paused',
        'This webhook is paused. Resume it, and what waits is sent.',
      );
    }
    const first = await ports.unitOfWork.inTransaction(async (tx) => {
      const due = await tx.pending.attemptFirst(webhookId, askedAt);
      if (due) ports.budget.spend(userId, due.bytes);
      return due;
    });
    ports.webhookChanged({ webhookId, userId });
    return first;
  };
