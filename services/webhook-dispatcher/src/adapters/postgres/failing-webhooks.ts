import type pg from 'pg';
import type { HandleWebhook } from '../../application/application.js';
import type { WebhookEvent } from '../../domain/webhook/events.js';
import { fromStoredId, toStoredId } from './stored-id.js';

/** So long nothing but failure, and the webhook is disabled. */
const DISABLED_AFTER = `interval '5 days'`;
/** A failure so long ago says nothing of one that comes now. */
const FORGOTTEN_AFTER = `interval '10 days'`;
const WEBHOOKS_MAX = 500;

/**
 * Disables the webhooks whose attempts all failed for five days, and gives them. Results keep the
 * first and the last failure since the last success, so nothing else has to be looked at.
 */
export async function disableFailing(
  pool: pg.Pool,
  handle: HandleWebhook,
  at: Date,
): Promise<readonly string[]> {
  await pool.query(
    `delete from failing_webhooks where last_at < $1::timestamptz - ${FORGOTTEN_AFTER}`,
    [at],
  );
  const { rows } = await pool.query<{ webhook_id: string }>(
    `select webhook_id from failing_webhooks where last_at >= since + ${DISABLED_AFTER} limit $1`,
    [WEBHOOKS_MAX],
  );
  const webhookIds = rows.map((row) => fromStoredId('wh', row.webhook_id));
  for (const webhookId of webhookIds) {
    const data = { reason: 'failing', at: at.toISOString() } as const;
    await handle(webhookId, { type: 'DisableWebhook', data });
    await pool.query('delete from failing_webhooks where webhook_id = $1', [toStoredId(webhookId)]);
  }
  return webhookIds;
}

/** A webhook that moved, or is trusted again by its owner, begins anew. */
export async function forgiveAfter(
  tx: pg.ClientBase,
  webhookId: string,
  events: readonly WebhookEvent[],
): Promise<void> {
  const isNew = events.some(
    ({ type, data }) =>
      type === 'webhook.enabled' || (type === 'webhook.updated' && data.url !== undefined),
  );
  if (!isNew) return;
  await tx.query('delete from failing_webhooks where webhook_id = $1', [toStoredId(webhookId)]);
}
