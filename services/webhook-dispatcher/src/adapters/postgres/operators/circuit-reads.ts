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
  return rows.map(({ url, ...row }) => ({ ...row, host: hostOf(url) }));
}

const read = statement<Omit<WebhookCircuit, 'host'> & { readonly url: string }>(
  'operators_circuits',
  `select webhook_id as "webhookId", w.user_id as "userId", w.url, c.opened_at as "openedAt",
          c.probe_at as "probeAt", case when c.probe_at > now() then 'open' else 'half_open' end as state
     from circuits c join webhooks w using (webhook_id)
    order by c.probe_at limit :limit`,
  { webhookId: 'wh' },
);
