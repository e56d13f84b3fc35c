import type { Queryable } from '@junction/eventsourcing/postgres';
import type pg from 'pg';
import type { CircuitTable } from '../../application/unit-of-work.js';
import { statement } from './statement.js';

interface CircuitRow {
  readonly user_id: string;
  readonly opened_at: Date;
}

/** Circuits that are open or half open. */
export const circuitTable = (tx: pg.ClientBase): CircuitTable => ({
  async open({ webhookId, version }, openedAt, { probeAt, restMs }) {
    const { rows } = await tx.query<CircuitRow & { is_new: boolean }>({
      name: 'open_circuit',
      text: OPEN,
      values: [webhookId, openedAt, probeAt, restMs, version ?? null],
    });
    const [row] = rows;
    return row && { ...toCircuit(row), isNew: row.is_new };
  },

  async close(webhookId) {
    const { rows } = await tx.query<CircuitRow>({
      name: 'close_circuit',
      text: `delete from circuits c using webhooks w
              where c.webhook_id = $1 and w.webhook_id = c.webhook_id
             returning w.user_id, c.opened_at`,
      values: [webhookId],
    });
    return rows[0] && toCircuit(rows[0]);
  },
});

// `for share` waits for a transaction that changes the webhook, which may close the circuit as well. xmax is 0 for an
// inserted row, and the number of this transaction for an updated one.
const OPEN = `
with webhook as materialized (
  select webhook_id, user_id from webhooks
   where webhook_id = $1 and version = coalesce($5, version) for share
)
insert into circuits (webhook_id, opened_at, probe_at, rest_ms)
select webhook_id, $2, $3, $4 from webhook
on conflict (webhook_id) do update
   set probe_at = excluded.probe_at, rest_ms = excluded.rest_ms
returning (select user_id from webhook), opened_at, xmax = 0 as is_new`;

const toCircuit = ({ user_id: userId, opened_at: openedAt }: CircuitRow) => ({ userId, openedAt });

/**
 * Ends the rest of an open circuit, so that the next request goes out now, from whichever replica sends for its user.
 * False: the webhook has no open circuit.
 */
export async function probeNow(db: Queryable, webhookId: string): Promise<boolean> {
  const { rows } = await endRest(db, { webhook: webhookId });
  return rows[0]?.is_open === true;
}

// The row of the webhook is touched, before all else as everywhere, so that every replica looks at the webhook again.
// Not now(), when the transaction began: the circuit may have opened again since then, and a time before that says
// nothing new. The clock of whoever opened it may be ahead, so the rest is never ended before it began.
const endRest = statement<{ is_open: boolean }>(
  'probe_now',
  `with touched as materialized (
     update webhooks set webhook_id = webhook_id where webhook_id = :webhook returning webhook_id
   ), probe as (
     update circuits c
        set probe_at = greatest(clock_timestamp(), probe_at - (rest_ms - 1) * interval '1 ms')
       from touched
      where c.webhook_id = touched.webhook_id
   )
   select exists (select from circuits where webhook_id = :webhook) as is_open`,
);
