import type { Ports } from '../ports.js';
import type { WebhookNotice } from '../unit-of-work.js';
import type { FailingWebhook } from './ports.js';

type TellPorts = Pick<Ports, 'unitOfWork' | 'failing' | 'now'>;

const HOUR_MS = 3_600_000;
/** Receivers that are restarted, or that somebody looks after already, are back sooner. */
const TOLD_AFTER_MS = HOUR_MS;
const AGAIN_AFTER_MS = 12 * HOUR_MS;

/**
 * Notifies the owners of webhooks whose attempts have all failed for an hour, and again every twelve hours while that
 * lasts. So the end needs no notice: an owner who hears no more of it has a webhook that works, or another notice.
 */
export const tellFailing = (ports: TellPorts) => async (): Promise<void> => {
  const at = ports.now();
  const toldBefore = new Date(at.getTime() - AGAIN_AFTER_MS);
  for (const webhook of await ports.failing.untold({ minMs: TOLD_AFTER_MS, toldBefore })) {
    await ports.unitOfWork.inTransaction(async (tx) => {
      const { webhookId, since } = webhook;
      if (!(await tx.failing.tell({ webhookId, since, at, toldBefore }))) return;
      // No notice follows the end of another: two webhooks of an owner could go on notifying each other.
      const isSilent = await tx.failing.isByNoticesAlone({ webhookId, since });
      if (!isSilent) await tx.outbox.notify([noticeOf(webhook, at)]);
    });
  }
};

const noticeOf = (
  { webhookId, userId, since, reason }: FailingWebhook,
  at: Date,
): WebhookNotice => ({
  kind: 'webhook.failing',
  id: `webhook.failing/${webhookId}/${at.toISOString()}`,
  userId,
  data: {
    webhook_id: webhookId,
    occurred_at: at.toISOString(),
    since: since.toISOString(),
    reason,
  },
});
