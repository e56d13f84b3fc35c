import type pg from 'pg';
import type { Rest } from '../../../application/dispatch/job.js';
import type { WebhookEvent } from '../../../domain/webhook/events.js';
import type { WebhookRow } from '../../../projections/webhook-row.js';

/** A webhook with how its circuit rests by now; its events know of the first rest alone. */
export interface RestingWebhook extends WebhookRow {
  readonly rest_ms: number | null;
}

/**
 * `circuit_probe_at` is that of the rest, which is later than the column's: of two alike the last one counts. A rest
 * without an open circuit is none: who closed that may not have known of rests.
 */
export const RESTING_WEBHOOKS = `
select w.*, coalesce(r.probe_at, w.circuit_probe_at) as circuit_probe_at, r.rest_ms
  from webhooks w
  left join circuit_rests r on r.webhook_id = w.webhook_id and w.circuit_opened_at is not null`;

/** How its circuit rests; undefined: it is closed. Of a rest that could not be kept the length is unknown: 0. */
export const restOf = ({ circuit_probe_at: probeAt, rest_ms }: RestingWebhook): Rest | undefined =>
  probeAt ? { probeAt, restMs: rest_ms ?? 0 } : undefined;

/**
 * False, and nothing done, for a circuit that is not open: it was closed, or its webhook deleted, meanwhile. The
 * lock has it wait for who does so now, and would not see this row.
 */
export const keepRest =
  (pool: pg.Pool) =>
  async (webhookId: string, { probeAt, restMs }: Rest): Promise<boolean> => {
    const { rowCount } = await pool.query({
      name: 'keep_rest',
      text: `insert into circuit_rests (webhook_id, probe_at, rest_ms)
             select webhook_id, $2, $3 from webhooks
              where webhook_id = $1 and circuit_opened_at is not null for share
             on conflict (webhook_id) do update
                set probe_at = excluded.probe_at, rest_ms = excluded.rest_ms`,
      values: [webhookId, probeAt, restMs],
    });
    return rowCount === 1;
  };

/** One that closes has no rest, and opens anew with the first, whatever rest was left behind. */
export async function endRestAfter(
  tx: pg.ClientBase,
  webhookId: string,
  events: readonly WebhookEvent[],
): Promise<void> {
  const isNew = events.some(
    ({ type }) => type === 'webhook.circuit_opened' || type === 'webhook.circuit_closed',
  );
  if (!isNew) return;
  await tx.query('delete from circuit_rests where webhook_id = $1', [webhookId]);
}
