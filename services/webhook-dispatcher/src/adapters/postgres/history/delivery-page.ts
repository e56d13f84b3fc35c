import type pg from 'pg';
import type { DeliveryFilter, DeliverySummary } from '../../../application/history/ports.js';
import type { Page } from '../../../application/page.js';
import { lowestIdAt, timeOfId } from '../stored-id.js';
import { deliveriesAt, type FoundKey, narrowed } from './delivery-rows.js';
import { scan, sourceOf } from './delivery-scan.js';
import type { Containing } from './text-search.js';

/** So many rows are looked at for one page, if that is not too few for a page of each webhook. */
export const SCANNED_MAX = 5_000;
/** Bodies are opened for a page for so long, however many that are; so it is never far from an answer. */
const SEARCHED_MS = 2_000;
/** Deliveries whose bodies are opened between two looks at the clock. */
const OPENED_MAX = 200;
/** Deliveries that are looked up at a time, as long as a page is not full. */
const LOOKED_UP_MAX = 100;
/** Each scan looks at so many times as many as the one before: as a rule the first few fill the page. */
const GROWTH = 10;
/** Deliveries of each of many webhooks that are looked at first. */
const FIRST_OF_EACH = 10;
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
  let each = firstOfEach(limit, webhookIds.length);
  let count = limit + 1;
  let left = filter.text === undefined ? mostOfEach : Infinity;
  do {
    const { keys, cut } = await scan(reading.db, webhookIds, filter, { begin, end, each, count });
    items.push(...(await fitting(reading, keys, filter, limit + 1 - items.length)));
    const shown = items.slice(0, limit);
    if (items.length > limit) return { items: shown, nextAfter: shown.at(-1)?.deliveryId };
    if (cut === undefined && begin <= from) return { items };
    end = cut ?? lowestIdAt(begin);
    if (cut === undefined) {
      begin = from;
      continue;
    }
    left -= each;
    each = Math.min(each * GROWTH, mostOfEach, mostOfAll, left);
    count = Math.min(each * webhookIds.length, mostOfAll);
  } while (left > 0 && Date.now() < until);
  return { items, nextAfter: end };
}

/** Returns how many deliveries of each webhook are looked at first: of many, most have few in one page. */
const firstOfEach = (limit: number, webhooks: number): number =>
  Math.min(limit + 1, Math.max(FIRST_OF_EACH, Math.ceil((GROWTH * limit) / webhooks)));

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

/**
 * Returns the deliveries at these keys that match the filter, whichever index has found the keys: so many of the first
 * at least, if there are.
 */
export async function fitting(
  { db, holding }: Reading,
  keys: readonly FoundKey[],
  filter: DeliveryFilter,
  wanted: number,
): Promise<readonly DeliverySummary[]> {
  const left = await narrowed(db, keys, filter);
  const items: DeliverySummary[] = [];
  for (let n = 0; n < left.length && items.length < wanted; n += LOOKED_UP_MAX) {
    const some = left.slice(n, n + LOOKED_UP_MAX);
    const found = (await deliveriesAt(db, some)).filter((item) => fits(item, filter));
    items.push(...(filter.text === undefined ? found : await holding(some, found, filter.text)));
  }
  return items;
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
