import type pg from 'pg';
import { hostOf } from '../../../domain/webhook/href.js';
import { statement } from '../statement.js';

export interface WebhookCircuit {
  readonly webhookId: string;
  readonly userId: string;
  readonly host: string;
  readonly state: string;
  readonly openedAt: Date;
  readonly probeAt: Date;
}

/** Reads open circuits, in the order in which their probes are due. */
export async function openCircuits(
  pool: pg.Pool,
  { limit }: { readonly limit: number },
): Promise<readonly WebhookCircuit[]> {
  const { rows } = await read(pool, { limit });
  return rows.map((row) => ({
    webhookId: row.webhook_id,
    userId: row.user_id,
    host: hostOf(row.url),
    state: row.is_resting ? 'open' : 'half_open',
    openedAt: row.opened_at,
    probeAt: row.probe_at,
  }));
}

const read = statement<{
  webhook_id: string;
  user_id: string;
  url: string;
  is_resting: boolean;
  opened_at: Date;
  probe_at: Date;
}>(
  'operators_circuits',
  `select c.webhook_id, w.user_id, w.url, c.probe_at > now() as is_resting, c.opened_at, c.probe_at
     from circuits c join webhooks w using (webhook_id)
    order by c.probe_at limit :limit`,
);
