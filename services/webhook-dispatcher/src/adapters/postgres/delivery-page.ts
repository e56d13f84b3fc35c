import type pg from 'pg';
import type { DeliveryFilter, DeliverySummary } from '../../application/delivery-log.js';
import type { Page } from '../../application/page.js';
import type { DeliveryStatus } from '../../domain/delivery/events.js';
import { dayOf, fromStoredId, lowestIdAt, timeOfId, toStoredId } from './stored-id.js';

export interface DeliveryRow {
  readonly day: string;
  readonly delivery_id: string;
  readonly webhook_id: string;
  readonly message_id: string;
  readonly kind: string;
  readonly status: DeliveryStatus;
  readonly reason: string | null;
  readonly attempts: number;
  readonly next_at: Date | null;
  readonly ended_at: Date | null;
  readonly original_id: string | null;
  readonly expunged_at: Date | null;
}

/** A delivery is pending while it has a row there; else its latest outcome says what became of it. */
export const DELIVERY_COLUMNS = `
       d.day::text, d.delivery_id, d.webhook_id, d.message_id, d.kind, d.original_id, d.expunged_at,
       coalesce(p.status, o.status, 'pending') as status,
       case when p.delivery_id is null then o.reason else a.result end as reason,
       coalesce(a.n, 0) as attempts, p.next_at,
       case when p.delivery_id is null then o.at end as ended_at`;

/** One by one, by key: joined as a whole, a day of millions might be read from end to end. */
export const DELIVERY_JOINS = `
  left join lateral (select delivery_id, status, next_at from pending p
                      where p.delivery_id = d.delivery_id limit 1) p on true
  left join lateral (select status, reason, at from endings o
                      where o.day = d.day and o.delivery_id = d.delivery_id
                      order by at desc limit 1) o on true
  left join lateral (select n, result from attempts a
                      where a.day = d.day and a.delivery_id = d.delivery_id
                      order by n desc limit 1) a on true`;

/** Of deliveries that do not fit the filter, this many are passed over for one page. */
const SCANNED_MAX = 5_000;

const EARLIEST = new Date(0);
const LATEST = new Date('9000-01-01T00:00:00Z');
const DAY_MS = 86_400_000;

/**
 * Newest first: their ids begin with the time. What is pending and what failed is found by an index of
 * its own. Any other filter passes over deliveries that do not fit, and no page looks at more than some
 * thousands: a page that ends there holds fewer than were asked for, and a cursor to go on with.
 */
export async function deliveryPage(
  db: pg.Pool,
  webhookId: string,
  { after, limit, status, kind, from = EARLIEST, to = LATEST }: DeliveryFilter,
): Promise<Page<DeliverySummary>> {
  // Without a name, and so planned for its values each time: the plan for any values that a prepared
  // statement ends up with sorts through a day of millions.
  const { rows } = await db.query<DeliveryRow & Edge>({
    text: PAGES[sourceOf(status)],
    values: [
      toStoredId(webhookId),
      lowestIdAt(from),
      after === undefined ? lowestIdAt(to) : earlier(toStoredId(after), lowestIdAt(to)),
      dayOf(from, -DAY_MS),
      dayOf(to, DAY_MS),
      kind ?? null,
      status ?? null,
      limit + 1,
      Math.max(limit + 1, SCANNED_MAX),
    ],
  });
  const items = rows.filter(({ delivery_id }) => delivery_id !== null).map(toSummary);
  const shown = items.slice(0, limit);
  if (items.length > limit) return { items: shown, nextAfter: shown.at(-1)?.deliveryId };
  const [edge] = rows;
  const isCut = edge?.cut === true && edge.last_id !== null;
  return { items: shown, nextAfter: isCut ? fromStoredId('dlv', edge.last_id) : undefined };
}

interface Edge {
  /** There may be more behind what was looked at. */
  readonly cut: boolean;
  readonly last_id: string | null;
}

const earlier = (one: string, other: string): string => (one < other ? one : other);

type Source = 'pending' | 'outcomes' | 'deliveries';

function sourceOf(status: DeliveryStatus | undefined): Source {
  if (status === undefined || status === 'succeeded') return 'deliveries';
  return status === 'pending' || status === 'retrying' ? 'pending' : 'outcomes';
}

const RANGE = `webhook_id = $1 and delivery_id >= $2 and delivery_id < $3
               and day between $4::date and $5::date`;

const pageFrom = (source: Source, condition: string) => `
with scanned as materialized (
  select distinct on (delivery_id) day, delivery_id from ${source}
   where ${RANGE} and ${condition}
   order by delivery_id desc limit $9
), edge as (
  select count(*) = $9 as cut, (array_agg(delivery_id order by delivery_id))[1] as last_id
    from scanned
)
select edge.*, found.*
  from edge
  left join lateral (
    select * from (
      select ${DELIVERY_COLUMNS}
        from scanned s
       cross join lateral (select * from deliveries d
                            where d.day = s.day and d.delivery_id = s.delivery_id limit 1) d
        ${DELIVERY_JOINS}
       where $6::text is null or d.kind = $6) d
     where $7::text is null or status = $7
     order by delivery_id desc limit $8) found on true
 order by delivery_id desc`;

const PAGES: Readonly<Record<Source, string>> = {
  pending: pageFrom('pending', 'status = $7'),
  outcomes: pageFrom('outcomes', `status = $7 and status <> 'succeeded'`),
  deliveries: pageFrom('deliveries', 'true'),
};

export const toSummary = (row: DeliveryRow): DeliverySummary => ({
  deliveryId: fromStoredId('dlv', row.delivery_id),
  webhookId: fromStoredId('wh', row.webhook_id),
  messageId: fromStoredId('msg', row.message_id),
  kind: row.kind,
  status: row.status,
  reason: row.reason,
  attempts: row.attempts,
  createdAt: timeOfId(row.delivery_id),
  nextAttemptAt: row.next_at,
  endedAt: row.ended_at,
  originalId: row.original_id && fromStoredId('dlv', row.original_id),
  expungedAt: row.expunged_at,
});
