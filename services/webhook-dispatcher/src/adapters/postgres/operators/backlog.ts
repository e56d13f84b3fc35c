import type pg from 'pg';
import { statement } from '../statement.js';

/** Rows and webhooks are counted up to here: with a million retries a scrape must not read all of them. */
export const COUNTED_MAX = 100_000;
export const WEBHOOKS_MAX = 10_000;
const DUE_OF_WEBHOOK_MAX = 1_000;

/** Deliveries that wait to be sent, and the webhooks that they wait for, over all replicas. */
export interface Backlog {
  /** Deliveries that wait for their first attempt, and for another one; both together at most 100,000. */
  readonly pending: number;
  readonly retrying: number;
  /**
   * Deliveries that are due now, and held up by nothing but the dispatcher: their webhooks are active, were well at
   * their last attempt and ask for no rate limit. Counted for 10,000 webhooks at most, and up to 1,000 for each.
   */
  readonly due: number;
  /** Seconds since the oldest of those was due; 0 when there is none. */
  readonly oldestDueS: number;
  readonly circuitsOpen: number;
  /** Circuits whose rest is over: the next request is a probe. */
  readonly circuitsHalfOpen: number;
  /** Webhooks whose last attempt failed. */
  readonly failing: number;
}

/** Reads the backlog in one statement, which costs two look-ups for each webhook that has something pending. */
export async function deliveryBacklog(pool: pg.Pool): Promise<Backlog> {
  const { rows } = await read(pool, {
    counted_max: COUNTED_MAX,
    webhooks_max: WEBHOOKS_MAX,
    due_max: DUE_OF_WEBHOOK_MAX,
  });
  const [row] = rows;
  if (row === undefined) throw new Error('The backlog was not read.');
  return {
    pending: row.pending,
    retrying: row.retrying,
    due: row.due,
    oldestDueS: Math.max(0, row.oldest_due_s),
    circuitsOpen: row.circuits_open,
    circuitsHalfOpen: row.circuits_half_open,
    failing: row.failing,
  };
}

interface Row {
  readonly pending: number;
  readonly retrying: number;
  readonly due: number;
  readonly oldest_due_s: number;
  readonly circuits_open: number;
  readonly circuits_half_open: number;
  readonly failing: number;
}

// From webhook to webhook in the index, over however many rows each of them has.
const read = statement<Row>(
  'delivery_backlog',
  `
with recursive waiting (id, n) as (
  (select webhook_id, 1 from pending order by webhook_id limit 1)
  union all
  select p.webhook_id, n + 1 from waiting
   cross join lateral (select webhook_id from pending
                        where webhook_id > waiting.id order by webhook_id limit 1) p
   where n < :webhooks_max
), well as (
  select id from waiting
    join webhooks w on w.webhook_id = id
   where w.status = 'active' and w.rate_limit is null
     and not exists (select from circuits c where c.webhook_id = w.webhook_id)
     and not exists (select from failing_webhooks f where f.webhook_id = id)
), due as (
  select coalesce(sum(n), 0)::int as n, min(oldest) as oldest from well
   cross join lateral (
     select count(*) as n, min(next_at) as oldest from (
       select next_at from pending
        where webhook_id = id and next_at <= now() order by next_at limit :due_max) one) of_one
), counted as (
  select count(*) filter (where status = 'pending')::int as pending,
         count(*) filter (where status = 'retrying')::int as retrying
    from (select status from pending limit :counted_max) listed
), circuit as (
  select count(*) filter (where probe_at > now())::int as open,
         count(*) filter (where probe_at <= now())::int as half_open
    from circuits
)
select counted.pending, counted.retrying, due.n as due,
       coalesce(extract(epoch from now() - due.oldest), 0)::float8 as oldest_due_s,
       circuit.open as circuits_open, circuit.half_open as circuits_half_open,
       (select count(*)::int from failing_webhooks) as failing
  from counted cross join due cross join circuit`,
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
