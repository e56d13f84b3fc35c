import type pg from 'pg';
import type { DeliveryFilter, DeliverySummary } from '../../../application/delivery-log.js';
import type { Page } from '../../../application/page.js';
import type { DeliveryStatus } from '../../../domain/delivery/events.js';
import { type Statement, statement } from '../statement.js';
import { dayOf, lowestIdAt, timeOfId } from '../stored-id.js';
import { type DeliveryKey, deliveriesAt } from './delivery-rows.js';

/** Of deliveries that do not fit the filter, this many are passed over for one page. */
const SCANNED_MAX = 5_000;
/** Each scan looks at so many times as many as the one before: as a rule the first few fill the page. */
const GROWTH = 10;
/** A page is looked for in so many days first. */
const FIRST_DAYS = 2;

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
  filter: DeliveryFilter,
): Promise<Page<DeliverySummary>> {
  const { limit, status, kind, from = EARLIEST } = filter;
  const items: DeliverySummary[] = [];
  let end = endOf(filter);
  let begin = beginOf(filter, end);
  let left = Math.max(limit + 1, SCANNED_MAX);
  for (let size = limit + 1; left > 0; size *= GROWTH) {
    const count = Math.min(size, left);
    const { keys, cut } = await scan(db, webhookId, filter, { begin, end, count });
    const fits = (item: DeliverySummary) =>
      (status ?? item.status) === item.status && (kind ?? item.kind) === item.kind;
    items.push(...(await deliveriesAt(db, keys)).filter(fits));
    const shown = items.slice(0, limit);
    if (items.length > limit) return { items: shown, nextAfter: shown.at(-1)?.deliveryId };
    if (cut === undefined && begin <= from) return { items };
    end = cut ?? lowestIdAt(begin);
    if (cut === undefined) begin = from;
    left -= count;
  }
  return { items, nextAfter: end };
}

/** The id that all of the page lies below. */
function endOf({ after, to = LATEST }: DeliveryFilter): string {
  const end = lowestIdAt(to);
  return after === undefined || end < after ? end : after;
}

/** As a rule a page is full of the days before its end: those before them are not opened for nothing. */
function beginOf({ status, from = EARLIEST }: DeliveryFilter, end: string): Date {
  if (sourceOf(status) !== 'deliveries') return from;
  const lastMs = Math.min(timeOfId(end).getTime(), Date.now());
  return new Date(Math.max(from.getTime(), lastMs - FIRST_DAYS * DAY_MS));
}

interface Range {
  readonly begin: Date;
  readonly end: string;
  readonly count: number;
}

interface Scanned {
  /** Of deliveries that may fit, newest first. */
  readonly keys: readonly DeliveryKey[];
  /** The id of the last one looked at, when there may be more behind it. */
  readonly cut: string | undefined;
}

interface ScannedRow extends DeliveryKey {
  readonly last_delivery_id: string;
  readonly scanned: number;
}

async function scan(
  db: pg.Pool,
  webhookId: string,
  { status, kind }: DeliveryFilter,
  { begin, end, count }: Range,
): Promise<Scanned> {
  const source = sourceOf(status);
  const { rows } = await KEYS[source](db, {
    webhook_id: webhookId,
    first_delivery_id: lowestIdAt(begin),
    end_delivery_id: end,
    first_day: dayOf(begin, -DAY_MS),
    last_day: dayOf(timeOfId(end), DAY_MS),
    wanted: (source === 'deliveries' ? kind : status) ?? null,
    count,
  });
  const [first] = rows;
  return {
    keys: rows.filter(({ delivery_id }) => delivery_id !== null),
    cut: first?.scanned === count ? first.last_delivery_id : undefined,
  };
}

type Source = 'pending' | 'outcomes' | 'deliveries';

function sourceOf(status: DeliveryStatus | undefined): Source {
  if (status === undefined || status === 'succeeded') return 'deliveries';
  return status === 'pending' || status === 'retrying' ? 'pending' : 'outcomes';
}

const RANGE = `webhook_id = :webhook_id
   and delivery_id >= :first_delivery_id and delivery_id < :end_delivery_id
   and day between :first_day::date and :last_day::date`;

// Without a name, and so planned for its values each time: the plan for any values that a prepared
// statement ends up with sorts through a day of millions.
const keysFrom = (source: Source, selected: string, condition: string, fits: string) =>
  statement<ScannedRow>(
    null,
    `
with scanned as materialized (
  select ${selected} from ${source}
   where ${RANGE} and ${condition}
   order by delivery_id desc limit :count
), edge as (
  select count(*)::integer as scanned, (array_agg(delivery_id order by delivery_id))[1] as last_delivery_id
    from scanned
)
select edge.*, s.day::text, s.delivery_id
  from edge left join scanned s on ${fits}
 order by s.delivery_id desc`,
  );

/** One that was held and then given up has ended twice. */
const EACH_ONCE = 'distinct on (delivery_id) day, delivery_id';
const IN_INDEX = `status = :wanted and status <> 'succeeded'`;
const OF_KIND = '(:wanted::text is null or s.kind = :wanted)';

const KEYS: Readonly<Record<Source, Statement<ScannedRow>>> = {
  pending: keysFrom('pending', 'day, delivery_id', 'status = :wanted', 'true'),
  outcomes: keysFrom('outcomes', EACH_ONCE, IN_INDEX, 'true'),
  deliveries: keysFrom('deliveries', 'day, delivery_id, kind', 'true', OF_KIND),
};
