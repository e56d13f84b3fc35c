import type { Queryable } from '@junction/eventsourcing/postgres';
import type pg from 'pg';
import type { CircuitTable, OpenCircuit } from '../../application/unit-of-work.js';
import { statement } from './statement.js';

/** Circuits that are open or half open. */
export const circuitTable = (tx: pg.ClientBase): CircuitTable => ({
  async open({ webhookId, version }, openedAt, { probeAt, restMs }) {
    const { rows } = await openCircuit(tx, {
      webhook_id: webhookId,
      opened_at: openedAt,
      probe_at: probeAt,
      rest_ms: restMs,
      version: version ?? null,
    });
    return rows[0];
  },

  async close(webhookId) {
    return (await closeCircuit(tx, { webhook_id: webhookId })).rows[0];
  },
});

// `for share` waits for a transaction that changes the webhook, which may close the circuit as well. xmax is 0 for an
// inserted row, and the number of this transaction for an updated one.
const openCircuit = statement<OpenCircuit & { readonly isNew: boolean }>(
  'open_circuit',
  `
with webhook as materialized (
  select webhook_id, user_id from webhooks
   where webhook_id = :webhook_id and version = coalesce(:version, version) for share
)
insert into circuits (webhook_id, opened_at, probe_at, rest_ms)
select webhook_id, :opened_at, :probe_at, :rest_ms from webhook
on conflict (webhook_id) do update
   set probe_at = excluded.probe_at, rest_ms = excluded.rest_ms
returning (select user_id from webhook) as "userId", opened_at as "openedAt", xmax = 0 as "isNew"`,
  { webhook_id: 'wh' },
);

const closeCircuit = statement<OpenCircuit>(
  'close_circuit',
  `delete from circuits c using webhooks w
    where c.webhook_id = :webhook_id and w.webhook_id = c.webhook_id
   returning w.user_id as "userId", c.opened_at as "openedAt"`,
  { webhook_id: 'wh' },
);

/**
 * Ends the rest of an open circuit, so that the next request goes out now, from whichever replica sends for its user.
 * Whoever asked before a probe failed has had that probe: its rest goes on. False: the webhook has no open circuit.
 */
export async function probeNow(db: Queryable, webhookId: string, askedAt: Date): Promise<boolean> {
  const { rows } = await endRest(db, { webhook_id: webhookId, asked_at: askedAt });
  return rows[0]?.is_open === true;
}

// The row of the webhook is touched, before all else as everywhere, so that every replica looks at the webhook again.
// A rest that began later than the circuit opened was begun by a probe that failed. The replica of that probe, whose
// row may still be under way, knows by the time of asking that it is no news. The clock of whoever opened the circuit
// may be ahead, so the first rest is never ended before it began.
const endRest = statement<{ is_open: boolean }>(
  'probe_now',
  `with touched as materialized (
     update webhooks set webhook_id = webhook_id where webhook_id = :webhook_id returning webhook_id
   ), probe as (
     update circuits c
        set probe_at = greatest(:asked_at, probe_at - (rest_ms - 1) * interval '1 ms')
       from touched
      where c.webhook_id = touched.webhook_id
        and probe_at - rest_ms * interval '1 ms' <= greatest(:asked_at, opened_at)
   )
   select exists (select from circuits where webhook_id = :webhook_id) as is_open`,
  { webhook_id: 'wh' },
);
