import { noticeSchemas } from '@junction/contracts';
import type pg from 'pg';
import type { HandleWebhook } from '../../../application/application.js';
import type { WebhookEvent } from '../../../domain/webhook/events.js';
import { fromStoredId, toStoredId } from '../stored-id.js';

/** So long nothing but failure, and the webhook is disabled. */
const DISABLED_AFTER = `interval '5 days'`;
/** A failure so long ago says nothing of one that comes now. */
const FORGOTTEN_AFTER = `interval '10 days'`;
const HAS_FAILED_LONG = `last_at >= since + ${DISABLED_AFTER}`;
const WEBHOOKS_MAX = 500;

/**
 * Disables the webhooks whose attempts all failed for five days, and gives them. Results keep the
 * first and the last failure since the last success, so to find them nothing else has to be looked at.
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
  const { rows } = await pool.query<FailingRow>(
    `select webhook_id, since from failing_webhooks
      where ${HAS_FAILED_LONG} limit $1`,
    [WEBHOOKS_MAX],
  );
  const disabled: string[] = [];
  for (const row of rows) {
    const webhookId = fromStoredId('wh', row.webhook_id);
    const byNotice = await isByNotice(pool, row);
    const data = { reason: 'failing', at: at.toISOString(), byNotice } as const;
    try {
      await handle(webhookId, { type: 'DisableWebhook', data });
    } catch (error) {
      if (error instanceof FailsNoLongerError) continue;
      throw error;
    }
    // One that was disabled or deleted already was not taken out with that.
    await pool.query(`delete from failing_webhooks where webhook_id = $1 and ${HAS_FAILED_LONG}`, [
      row.webhook_id,
    ]);
    disabled.push(webhookId);
  }
  return disabled;
}

/** An attempt went well, or its owner trusts it again, since it was found. */
class FailsNoLongerError extends Error {}

/**
 * Part of disabling one that fails: an attempt that goes well is written before, and then this refuses, or waits
 * for it to be disabled.
 */
export async function requireFailing(
  tx: pg.ClientBase,
  webhookId: string,
  events: readonly WebhookEvent[],
): Promise<void> {
  const isByFailing = ({ type, data }: WebhookEvent) =>
    type === 'webhook.disabled' && data.reason === 'failing';
  if (!events.some(isByFailing)) return;
  const { rowCount } = await tx.query(
    `delete from failing_webhooks where webhook_id = $1 and ${HAS_FAILED_LONG}`,
    [toStoredId(webhookId)],
  );
  if (rowCount === 0) throw new FailsNoLongerError(`${webhookId} does not fail any more.`);
}

interface FailingRow {
  readonly webhook_id: string;
  readonly since: Date;
}

/** Notices failed in that time, and nothing else did. */
async function isByNotice(pool: pg.Pool, { webhook_id, since }: FailingRow): Promise<boolean> {
  const { rows } = await pool.query<{ by_notice: boolean }>(
    // In this order: of a webhook that waits for a million events the first of them tells.
    `select not ${hasFailed('<> all ($3)')} and ${hasFailed('= any ($3)')} as by_notice`,
    [webhook_id, since, Object.keys(noticeSchemas)],
  );
  return rows[0]?.by_notice === true;
}

// What failed since then waits for its next attempt, or has come to its end: of either there is an index
// by webhook, while what was attempted would have to be looked up delivery by delivery.
const hasFailed = (kind: string): string => `exists (
  select from (
    select day, delivery_id from pending where webhook_id = $1 and status = 'retrying'
     union all
    select day, delivery_id from outcomes
     where webhook_id = $1 and status in ('exhausted', 'refused') and at >= $2) f
   where (select d.kind from deliveries d
           where d.day = f.day and d.delivery_id = f.delivery_id) ${kind})`;

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
