import { replay } from '@junction/eventsourcing';
import { webhookDecider } from '../../domain/webhook/decider.js';
import { webhookNotFound } from '../find-webhook.js';
import { handleWebhook } from '../handle-webhook.js';
import type { Ports } from '../ports.js';

/**
 * Deletes a webhook, only in one of these versions if some are given. A repeated call does no harm. @throws AppError
 * `webhook_not_found` for a webhook of another user, `precondition_failed`
 */
export const deleteWebhook =
  (ports: Ports) =>
  async (userId: string, webhookId: string, ifVersion?: readonly number[]): Promise<void> => {
    // The stream names the owner of a deleted webhook too, so a repeated call can be checked.
    const webhook = replay(webhookDecider, await ports.webhooks.history(webhookId));
    if (webhook.state === 'none' || webhook.userId !== userId) throw webhookNotFound();
    if (webhook.state === 'deleted') return;
    const data = { reason: 'user', at: ports.now().toISOString() } as const;
    await ports.inTurn(userId, () =>
      ports.unitOfWork.inTransaction((tx) =>
        handleWebhook(tx, webhookId, { type: 'DeleteWebhook', data }, { ifVersion }),
      ),
    );
    ports.webhookChanged({ webhookId, userId });
  };
