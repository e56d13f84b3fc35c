import type pg from 'pg';
import type { Page } from '../../../application/page.js';
import type { DeliveryFilter } from '../../http/history/history-schemas.js';
import { lowestIdAt, timeOfId } from '../stored-id.js';
import { deliveriesAt, type FoundKey, narrowed } from './delivery-rows.js';
import { scan, sourceOf } from './delivery-scan.js';
import type { DeliverySummary } from './history-reads.js';
import type { Containing } from './text-search.js';

/** So many rows are looked at for one page, if that is not too few for a page of each webhook. */
export const SCANNED_MAX = 5_000;
/** Bodies are opened for a page for so long, however many that are; so it is never far from an answer. */
const SEARCHED_MS = 2_000;
/** Deliveries that a scan finds at most when bodies are opened, and of these as many between two looks at the clock. */
const SEARCHED_MAX = 200;
const OPENED_MAX = 25;
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
  const { mostOfEach, mostOfAll } = budgetOf(filter, webhookIds.length);
  const until = untilOf(filter, reading);
  let each = firstOfEach(limit, webhookIds.length);
  let count = limit + 1;
  let left = filter.text === undefined ? mostOfEach : Infinity;
  do {
    const { keys, cut } = await scan(reading.db, webhookIds, filter, { begin, end, each, count });
    const wanted = limit + 1 - items.length;
    const found = await fitting(reading, keys, filter, { wanted, until });
    items.push(...found.items);
    const shown = items.slice(0, limit);
    if (items.length > limit) return { items: shown, nextAfter: shown.at(-1)?.delivery_id };
    if (found.cut !== undefined) return { items, nextAfter: found.cut };
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

/** Returns how many deliveries one scan looks at most: of each webhook, and of all webhooks. */
function budgetOf({ text, limit }: DeliveryFilter, webhooks: number) {
  const mostOfEach = Math.max(limit + 1, Math.ceil(SCANNED_MAX / webhooks));
  return { mostOfEach, mostOfAll: text === undefined ? Infinity : SEARCHED_MAX };
}

/** Returns the time until which bodies are opened for a page that begins now; no other page has to hurry. */
export const untilOf = ({ text }: DeliveryFilter, { searchedMs = SEARCHED_MS }: Reading): number =>
  text === undefined ? Infinity : Date.now() + searchedMs;

export interface Reading {
  readonly db: pg.Pool;
  readonly holding: Containing;
  /** Milliseconds for opening bodies; absent: two seconds. */
  readonly searchedMs?: number;
}

export interface Fitting {
  readonly items: readonly DeliverySummary[];
  /** Id down to which the keys were looked at; undefined: all of them were. */
  readonly cut: string | undefined;
}

/**
 * Returns the deliveries at these keys that match the filter, whichever index has found the keys. It ends when it has
 * found so many, or when its time is over.
 */
export async function fitting(
  { db, holding }: Reading,
  keys: readonly FoundKey[],
  filter: DeliveryFilter,
  { wanted, until }: { readonly wanted: number; readonly until: number },
): Promise<Fitting> {
  const left = await narrowed(db, keys, filter);
  const many = filter.text === undefined ? LOOKED_UP_MAX : OPENED_MAX;
  const items: DeliverySummary[] = [];
  for (let n = 0; n < left.length; n += many) {
    const some = left.slice(n, n + many);
    const found = (await deliveriesAt(db, some)).filter((item) => fits(item, filter));
    items.push(...(filter.text === undefined ? found : await holding(some, found, filter.text)));
    const isOver = items.length >= wanted || Date.now() >= until;
    if (isOver && n + many < left.length) return { items, cut: some.at(-1)?.delivery_id };
  }
  return { items, cut: undefined };
}

const fits = (
  item: DeliverySummary,
  { status, event_type, http_status, message_id }: DeliveryFilter,
): boolean =>
  (status === undefined || status.includes(item.status)) &&
  (event_type ?? item.event_type) === item.event_type &&
  (message_id ?? item.message_id) === item.message_id &&
  (http_status === undefined ||
    (item.response_status !== null &&
      item.response_status >= http_status.min &&
      item.response_status <= http_status.max));

/** The id that all of the page lies below. */
export function endOf({ cursor, to = LATEST }: Pick<DeliveryFilter, 'cursor' | 'to'>): string {
  const end = lowestIdAt(to);
  return cursor === undefined || end < cursor ? end : cursor;
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
