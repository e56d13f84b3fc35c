import { query } from '@junction/service';
import type pg from 'pg';
import { z } from 'zod';
import { STATUS } from '../sending-pauses.js';
import { statement } from '../statement.js';

/** Rows and webhooks are counted up to here: with a million retries a scrape must not read all of them. */
export const COUNTED_MAX = 100_000;
export const WEBHOOKS_MAX = 10_000;
const DUE_OF_WEBHOOK_MAX = 1_000;

/** Members of a backlog that say what waits to be sent. */
export const waitingFields = {
  pending: z.int().describe('Deliveries that wait for their first attempt.'),
  retrying: z.int().describe('Deliveries that wait for another one.'),
  due: z.int().describe('Deliveries that are held up by nothing but us.'),
  oldest_due_s: z.number().describe('Seconds since the oldest of those was due.'),
};

const backlog = z.object({
  ...waitingFields,
  failing_webhooks: z.int(),
  open_circuits: z.int(),
  half_open_circuits: z.int().describe('Their rest is over: the next request is a probe.'),
});

export type Backlog = z.input<typeof backlog>;

/**
 * Deliveries that wait to be sent, and the webhooks that they wait for, over all replicas: always one row. Pending and
 * retrying are together at most 100,000; so are failing webhooks, and circuits. Due are deliveries whose webhooks are
 * active, were well at their last attempt and ask for no rate limit; they are counted for 10,000 webhooks at most, and
 * up to 1,000 for each. The statement costs two look-ups for each webhook that has something pending.
 */
// From webhook to webhook in the index, over however many rows each of them has.
export const deliveryBacklog = query(
  backlog,
  statement(
    'delivery_backlog',
    `
with recursive waiting (id, n) as (
  (select webhook_id, 1 from pending order by webhook_id limit 1)
  union all
  select p.webhook_id, n + 1 from waiting
   cross join lateral (select webhook_id from pending
                        where webhook_id > waiting.id order by webhook_id limit 1) p
   where n < ${WEBHOOKS_MAX}
), well as (
  select id from waiting
    join webhooks w on w.webhook_id = id
   where ${STATUS} = 'active' and w.rate_limit is null
     and not exists (select from circuits c where c.webhook_id = w.webhook_id)
     and not exists (select from failing_webhooks f where f.webhook_id = id)
), due as (
  select coalesce(sum(n), 0)::int as n, min(oldest) as oldest from well
   cross join lateral (
     select count(*) as n, min(next_at) as oldest from (
       select next_at from pending
        where webhook_id = id and next_at <= now() order by next_at limit ${DUE_OF_WEBHOOK_MAX}) one) of_one
), counted as (
  select count(*) filter (where status = 'pending')::int as pending,
         count(*) filter (where status = 'retrying')::int as retrying
    from (select status from pending limit ${COUNTED_MAX}) listed
), circuit as (
  select count(*) filter (where probe_at > now())::int as open,
         count(*) filter (where probe_at <= now())::int as half_open
    from (select probe_at from circuits limit ${COUNTED_MAX}) listed
)
select counted.pending, counted.retrying, due.n as due,
       greatest(0, coalesce(extract(epoch from now() - due.oldest), 0))::float8 as oldest_due_s,
       (select count(*)::int from (select from failing_webhooks limit ${COUNTED_MAX}) listed) as failing_webhooks,
       circuit.open as open_circuits, circuit.half_open as half_open_circuits
  from counted cross join due cross join circuit`,
  ),
);

/** Counts the webhooks in each status. Reads all of them. */
export async function webhooksByStatus(pool: pg.Pool): Promise<ReadonlyMap<string, number>> {
  const { rows } = await readStatuses(pool);
  return new Map(rows.map(({ status, n }) => [status, n]));
}

const readStatuses = statement<{ status: string; n: number }>(
  'webhooks_by_status',
  'select status, count(*)::int as n from webhooks group by status',
);
