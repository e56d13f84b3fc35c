import type pg from 'pg';
import type {
  DeliveryFilter,
  DeliverySummary,
  HttpStatusRange,
} from '../../../application/history/ports.js';
import type { Page } from '../../../application/page.js';
import type { DeliveryStatus } from '../../../domain/delivery/events.js';
import { type Statement, statement } from '../statement.js';
import { dayOf, lowestIdAt, timeOfId } from '../stored-id.js';
import { type DeliveryKey, deliveriesAt, sentAgain } from './delivery-rows.js';
import type { Containing } from './text-search.js';

/** So many rows are looked at for one page, if that is not too few for a page of each webhook. */
export const SCANNED_MAX = 5_000;
/** Bodies are opened for a page for so long, however many that are; so it is never far from an answer. */
const SEARCHED_MS = 2_000;
/** Deliveries whose bodies are opened between two looks at the clock. */
const OPENED_MAX = 200;
/** Each scan looks at so many times as many as the one before: as a rule the first few fill the page. */
const GROWTH = 10;
/** A page is looked for in so many days first. */
const FIRST_DAYS = 2;

const EARLIEST = new Date(0);
const LATEST = new Date('9000-01-01T00:00:00Z');
const DAY_MS = 86_400_000;

/**
 * Returns a page of the deliveries of these webhooks, newest first: their ids begin with the time. Pending deliveries
 * and failed ones are found by an index of their own; any other filter passes over deliveries that do not match. No
 * page looks at more than some thousand deliveries, or opens bodies for more than some seconds. A page that ends at
 * such a bound holds fewer items than requested, and a cursor that says how far the search has come.
 */
export async function deliveryPage(
  reading: Reading,
  webhookIds: readonly string[],
  filter: DeliveryFilter,
): Promise<Page<DeliverySummary>> {
  if (webhookIds.length === 0) return { items: [] };
  const { limit, from = EARLIEST } = filter;
  const items: DeliverySummary[] = [];
  let end = endOf(filter);
  let begin = beginOf(filter, end);
  const { mostOfEach, mostOfAll, until } = budgetOf(filter, webhookIds.length, reading);
  let each = limit + 1;
  let count = each;
  let left = filter.text === undefined ? mostOfEach : Infinity;
  do {
    const { keys, cut } = await scan(reading.db, webhookIds, filter, { begin, end, each, count });
    items.push(...(await fitting(reading, keys, filter)));
    const shown = items.slice(0, limit);
    if (items.length > limit) return { items: shown, nextAfter: shown.at(-1)?.deliveryId };
    if (cut === undefined && begin <= from) return { items };
    end = cut ?? lowestIdAt(begin);
    if (cut === undefined) begin = from;
    left -= each;
    each = Math.min(each * GROWTH, mostOfEach, mostOfAll, left);
    count = Math.min(each * webhookIds.length, mostOfAll);
  } while (left > 0 && Date.now() < until);
  return { items, nextAfter: end };
}

/**
 * Returns the bounds of a page: deliveries of each webhook and of all webhooks in one scan, and the time until which
 * another scan starts.
 */
function budgetOf(
  { text, limit }: DeliveryFilter,
  webhooks: number,
  { searchedMs = SEARCHED_MS }: Reading,
) {
  const mostOfEach = Math.max(limit + 1, Math.ceil(SCANNED_MAX / webhooks));
  return text === undefined
    ? { mostOfEach, mostOfAll: Infinity, until: Infinity }
    : { mostOfEach, mostOfAll: OPENED_MAX, until: Date.now() + searchedMs };
}

export interface Reading {
  readonly db: pg.Pool;
  readonly holding: Containing;
  /** Milliseconds for opening bodies; absent: two seconds. */
  readonly searchedMs?: number;
}

/** Returns the deliveries at these keys that match the filter, whichever index has found the keys. */
export async function fitting(
  { db, holding }: Reading,
  keys: readonly DeliveryKey[],
  filter: DeliveryFilter,
): Promise<readonly DeliverySummary[]> {
  const { isSentAgain, text } = filter;
  let items = (await deliveriesAt(db, keys)).filter((item) => fits(item, filter));
  if (isSentAgain !== undefined && items.length > 0) {
    const again = await sentAgain(db, items);
    items = items.filter(({ deliveryId }) => again.has(deliveryId) === isSentAgain);
  }
  return text === undefined ? items : holding(keys, items, text);
}

const fits = (
  item: DeliverySummary,
  { statuses, kind, httpStatus, messageId }: DeliveryFilter,
): boolean =>
  (statuses === undefined || statuses.includes(item.status)) &&
  (kind ?? item.kind) === item.kind &&
  (messageId ?? item.messageId) === item.messageId &&
  (httpStatus === undefined ||
    (item.httpStatus !== null &&
      item.httpStatus >= httpStatus.min &&
      item.httpStatus <= httpStatus.max));

/** The id that all of the page lies below. */
export function endOf({ after, to = LATEST }: Pick<DeliveryFilter, 'after' | 'to'>): string {
  const end = lowestIdAt(to);
  return after === undefined || end < after ? end : after;
}

/**
 * Returns the start of the first scan. The days before the end usually fill a page, so that earlier partitions are not
 * opened for nothing.
 */
function beginOf(filter: DeliveryFilter, end: string): Date {
  const { from = EARLIEST } = filter;
  if (sourceOf(filter) !== 'deliveries') return from;
  const lastMs = Math.min(timeOfId(end).getTime(), Date.now());
  return new Date(Math.max(from.getTime(), lastMs - FIRST_DAYS * DAY_MS));
}

interface Range {
  readonly begin: Date;
  readonly end: string;
  /** Most deliveries of each webhook. */
  readonly each: number;
  /** Most deliveries of all webhooks together. */
  readonly count: number;
}

interface Scanned {
  /** Keys of deliveries that may match, newest first. */
  readonly keys: readonly DeliveryKey[];
  /** Id down to which every delivery was looked at; undefined: every delivery of the range was. */
  readonly cut: string | undefined;
}

interface ScannedRow extends DeliveryKey {
  readonly cut_delivery_id: string | null;
}

async function scan(
  db: pg.Pool,
  webhookIds: readonly string[],
  filter: DeliveryFilter,
  { begin, end, each, count }: Range,
): Promise<Scanned> {
  const source = sourceOf(filter);
  const { rows } = await KEYS[source](db, {
    webhook_ids: webhookIds,
    first_delivery_id: lowestIdAt(begin),
    end_delivery_id: end,
    first_day: dayOf(begin, -DAY_MS),
    last_day: dayOf(timeOfId(end), DAY_MS),
    ...((source === 'pending' || source === 'outcomes') && { statuses: filter.statuses }),
    kind: filter.kind ?? null,
    each,
    count,
  });
  return {
    keys: rows.filter(({ delivery_id }) => delivery_id !== null),
    cut: rows[0]?.cut_delivery_id ?? undefined,
  };
}

type Source = 'pending' | 'outcomes' | 'failed' | 'deliveries';

/** Chooses the source that holds all matching deliveries and the fewest others. */
function sourceOf({ statuses, httpStatus }: DeliveryFilter): Source {
  if (statuses === undefined || statuses.includes('succeeded')) {
    // A failed answer leaves a delivery pending or ended, so both tables are searched.
    return httpStatus !== undefined && !isSuccess(httpStatus) ? 'failed' : 'deliveries';
  }
  if (statuses.every(waits)) return 'pending';
  return statuses.some(waits) ? 'failed' : 'outcomes';
}

const waits = (status: DeliveryStatus): boolean => status === 'pending' || status === 'retrying';

const isSuccess = ({ min, max }: HttpStatusRange): boolean => min >= 200 && max <= 299;

const RANGE = `webhook_id = w.webhook_id
   and delivery_id >= :first_delivery_id and delivery_id < :end_delivery_id
   and day between :first_day::date and :last_day::date`;
const NEWEST = 'order by delivery_id desc limit :each';

/** A delivery that was held and later cancelled has two rows here. */
const ENDED = `select distinct on (delivery_id) day, delivery_id, null as kind from outcomes
                where ${RANGE} and status <> 'succeeded'`;
const WAITING = `select day, delivery_id, null as kind from pending where ${RANGE}`;

/** The newest of one webhook. */
const SOURCES: Readonly<Record<Source, string>> = {
  pending: `${WAITING} and status = any (:statuses::text[]) ${NEWEST}`,
  outcomes: `${ENDED} and status = any (:statuses::text[]) ${NEWEST}`,
  failed: `(${ENDED} ${NEWEST}) union (${WAITING} ${NEWEST}) ${NEWEST}`,
  deliveries: `select day, delivery_id, kind from deliveries where ${RANGE} ${NEWEST}`,
};

// Without a name, and so planned for its values each time: the plan for any values that a prepared
// statement ends up with sorts through a day of millions. Webhook by webhook, each in the order of its index:
// asked for those of several at once, Postgres would sort all that they have.
const keysFrom = (source: Source): Statement<ScannedRow> =>
  statement<ScannedRow>(
    null,
    `
with scanned as materialized (
  select w.webhook_id, s.*
    from unnest(:webhook_ids::uuid[]) w (webhook_id) cross join lateral (${SOURCES[source]}) s
), reached as (
  -- A webhook that may have more was read down to its last row here. Rows below the last row of any such webhook
  -- are looked at by the next page.
  select (array_agg(last_id order by last_id desc))[1] as delivery_id
    from (select (array_agg(delivery_id order by delivery_id))[1] as last_id
            from scanned group by webhook_id having count(*) = :each) cut
), looked_at as (
  select day, delivery_id, kind from scanned
   where delivery_id >= coalesce((select delivery_id from reached), :first_delivery_id)
   order by delivery_id desc limit :count
), edge as (
  select case when count(*) = :count then (array_agg(delivery_id order by delivery_id))[1]
              else (select delivery_id from reached) end as cut_delivery_id
    from looked_at
)
select edge.cut_delivery_id, l.day::text, l.delivery_id
  from edge left join looked_at l on l.kind is null or :kind::text is null or l.kind = :kind
 order by l.delivery_id desc`,
    {
      webhook_ids: 'wh',
      first_delivery_id: 'dlv',
      end_delivery_id: 'dlv',
      cut_delivery_id: 'dlv',
      delivery_id: 'dlv',
    },
  );

const KEYS: Readonly<Record<Source, Statement<ScannedRow>>> = {
  pending: keysFrom('pending'),
  outcomes: keysFrom('outcomes'),
  failed: keysFrom('failed'),
  deliveries: keysFrom('deliveries'),
};
