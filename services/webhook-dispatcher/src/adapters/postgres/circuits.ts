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
 * False: the webhook has no open circuit.
 */
export async function probeNow(db: Queryable, webhookId: string): Promise<boolean> {
  const { rows } = await endRest(db, { webhook_id: webhookId });
  return rows[0]?.is_open === true;
}

// The row of the webhook is touched, before all else as everywhere, so that every replica looks at the webhook again.
// Not now(), when the transaction began: the circuit may have opened again since then, and a time before that says
// nothing new. The clock of whoever opened it may be ahead, so the rest is never ended before it began.
const endRest = statement<{ is_open: boolean }>(
  'probe_now',
  `with touched as materialized (
     update webhooks set webhook_id = webhook_id where webhook_id = :webhook_id returning webhook_id
   ), probe as (
     update circuits c
        set probe_at = greatest(clock_timestamp(), probe_at - (rest_ms - 1) * interval '1 ms')
       from touched
      where c.webhook_id = touched.webhook_id
   )
   select exists (select from circuits where webhook_id = :webhook_id) as is_open`,
  { webhook_id: 'wh' },
);
