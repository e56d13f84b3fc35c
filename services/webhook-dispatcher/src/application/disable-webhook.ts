import type { StoredReason } from '../domain/webhook/events.js';
import { handleWebhook } from './handle-webhook.js';
import type { Transaction } from './unit-of-work.js';

interface Disabling {
  readonly reason: Exclude<StoredReason, 'user'>;
  readonly at: Date;
  /** False when only deliveries of notices failed: no other notice follows them. */
  readonly isNotified: boolean;
}

/** Disables a webhook on behalf of its owner, and notifies the owner, unless it is disabled or deleted already. */
export async function disableWebhook(
  tx: Transaction,
  webhookId: string,
  { reason, at, isNotified }: Disabling,
): Promise<void> {
  const data = { reason, at: at.toISOString() };
  const [disabled] = await handleWebhook(tx, webhookId, { type: 'DisableWebhook', data });
  if (disabled === undefined || !isNotified) return;
  const { userId } = disabled.data;
  await tx.outbox.notify([
    {
      kind: 'webhook.disabled',
      id: `webhook.disabled/${webhookId}/${data.at}`,
      userId,
      data: { webhook_id: webhookId, occurred_at: data.at, reason },
    },
  ]);
}
