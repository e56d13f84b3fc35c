import type { Queryable } from '@junction/eventsourcing/postgres';
import type { Rest } from '../../application/job.js';
import type { OpenCircuit } from '../../application/unit-of-work.js';
import { first, table } from './statement.js';

type Opening = Rest & {
  readonly webhookId: string;
  /** Version of the webhook to which the attempt was sent; null: any version. */
  readonly version: number | null;
  readonly openedAt: Date;
};

/** Circuits that are open or half open: a healthy webhook has no row. */
export const circuitTable = table({
  /**
   * Stores that the circuit rests, and replaces the rest before. Returns undefined when the webhook does not exist, or
   * has changed since that version. `isNew`: the circuit was closed before.
   */
  // `for share` waits for a transaction that changes the webhook, which may close the circuit as well. xmax is 0 for an
  // inserted row, and the number of this transaction for an updated one.
  open: first<Opening, OpenCircuit & { readonly isNew: boolean }>(
    'open_circuit',
    `
with webhook as materialized (
  select webhook_id, user_id from webhooks
   where webhook_id = :webhookId and version = coalesce(:version, version) for share
)
insert into circuits (webhook_id, opened_at, probe_at, rest_ms)
select webhook_id, :openedAt, :probeAt, :restMs from webhook
on conflict (webhook_id) do update
   set probe_at = excluded.probe_at, rest_ms = excluded.rest_ms
returning (select user_id from webhook) as "userId", opened_at as "openedAt", xmax = 0 as "isNew"`,
    { webhookId: 'wh' },
  ),

  probe: probeNow,

  /** Deletes the circuit, and returns it; undefined: none was open. */
  close: first<{ webhookId: string }, OpenCircuit>(
    'close_circuit',
    `delete from circuits c using webhooks w
      where c.webhook_id = :webhookId and w.webhook_id = c.webhook_id
     returning w.user_id as "userId", c.opened_at as "openedAt"`,
    { webhookId: 'wh' },
  ),
});

/**
 * Ends the rest of an open circuit, so that the next request goes out now, from whichever replica sends for its user.
 * Whoever asked before a probe failed has had that probe: its rest goes on. Returns the webhook's user; undefined: the
 * webhook has no open circuit.
 */
export async function probeNow(db: Queryable, webhookId: string, askedAt: Date) {
  return endRest(db, { webhookId, askedAt });
}

// The row of the webhook is touched, before all else as everywhere, so that every replica looks at the webhook again.
// A rest that began later than the circuit opened was begun by a probe that failed. The replica of that probe, whose
// row may still be under way, knows by the time of asking that it is no news. The clock of whoever opened the circuit
// may be ahead, so the first rest is never ended before it began.
const endRest = first<{ webhookId: string; askedAt: Date }, Pick<OpenCircuit, 'userId'>>(
  'probe_now',
  `with touched as materialized (
     update webhooks set webhook_id = webhook_id where webhook_id = :webhookId returning webhook_id, user_id
   ), probe as (
     update circuits c
        set probe_at = greatest(:askedAt, probe_at - (rest_ms - 1) * interval '1 ms')
       from touched
      where c.webhook_id = touched.webhook_id
        and probe_at - rest_ms * interval '1 ms' <= greatest(:askedAt, opened_at)
   )
   select user_id as "userId" from touched join circuits using (webhook_id)`,
  { webhookId: 'wh' },
);
