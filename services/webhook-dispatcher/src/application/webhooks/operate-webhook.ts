import { replay } from '@junction/eventsourcing';
import { webhookDecider } from '../../domain/webhook/decider.js';
import { findWebhook, webhookNotFound } from '../find-webhook.js';
import { handleWebhook } from '../handle-webhook.js';
import type { Ports } from '../ports.js';
import type { Webhook } from './ports.js';

/**
 * Disables a webhook of any user until an operator enables it again; then it is as its owner had it. @throws AppError
 * `webhook_not_found`
 */
export const operateWebhook =
  (ports: Ports) =>
  async (webhookId: string, enabled: boolean): Promise<Webhook> => {
    const webhook = replay(webhookDecider, await ports.webhooks.history(webhookId));
    if (webhook.state !== 'live') throw webhookNotFound();
    const { userId } = webhook;
    const data = { enabled, at: ports.now().toISOString() };
    await ports.inTurn(userId, () =>
      ports.unitOfWork.inTransaction((tx) =>
        handleWebhook(tx, webhookId, { type: 'OperateWebhook', data }),
      ),
    );
    ports.webhookChanged({ webhookId, userId });
    return findWebhook(ports)(userId, webhookId);
  };
