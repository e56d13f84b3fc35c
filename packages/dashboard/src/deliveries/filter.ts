import { DELIVERY_STATUSES, type DeliveryQuery } from '../api/types.js';

const HOUR_MS = 3_600_000;
/** Characters of a searched text; the API refuses longer ones. */
const TEXT_MAX = 200;

/** Spans that end now, however often the page is loaded again. */
export const PERIODS = {
  '1h': { label: 'Last hour', ms: HOUR_MS },
  '24h': { label: 'Last 24 hours', ms: 24 * HOUR_MS },
  '7d': { label: 'Last 7 days', ms: 7 * 24 * HOUR_MS },
  '30d': { label: 'Last 30 days', ms: 30 * 24 * HOUR_MS },
} as const;

export type Period = keyof typeof PERIODS;

/**
 * Statuses to choose from: `waiting` stands for those of deliveries that have a next attempt, and `held` leaves out
 * what was sent again, as statistics do.
 */
export const FILTER_STATUSES = ['waiting', ...DELIVERY_STATUSES] as const;

type Search = Readonly<Record<string, unknown>>;

const KIND = /^[a-z_]+(?:\.[a-z_]+)+$/;
const HTTP_STATUS = /^[1-5](?:\d\d|xx)$/;
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/;
const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const MESSAGE_ID = new RegExp(`^msg_${UUID}$`);
const WEBHOOK_ID = new RegExp(`^wh_${UUID}$`);
const DELIVERY_ID = new RegExp(`^dlv_${UUID}$`);
const OPEN = new RegExp(`^wh_${UUID}\\.dlv_${UUID}$`);

const textLike = (pattern: RegExp) => (value: unknown) =>
  typeof value === 'string' && pattern.test(value) ? value : undefined;

/** Filters, and how the page's address is read for each. What the API would refuse is undefined. */
const FILTERS = {
  status: (value: unknown) => FILTER_STATUSES.find((known) => known === value),
  event_type: textLike(KIND),
  /** Status, or class such as `5xx`. A status is a number: an address would put digits in quotation marks. */
  http_status: (value: unknown) =>
    HTTP_STATUS.test(String(value)) ? numberOr(String(value)) : undefined,
  message_id: textLike(MESSAGE_ID),
  webhook_id: textLike(WEBHOOK_ID),
  /** Text to find in an id, the kind, the reason or the body. */
  text: searchedText,
  period: (value: unknown) => (isPeriod(value) ? value : undefined),
  /** Moments of ISO 8601 with their offset: inclusive, and exclusive. */
  from: momentIn,
  to: momentIn,
  /** The last delivery of the part before this one: this part holds what is older. */
  cursor: textLike(DELIVERY_ID),
};

/** Filter of the list of deliveries. It is kept in the page's address, so that back and reload keep it. */
export type DeliveryFilter = {
  readonly [Name in keyof typeof FILTERS]?: ReturnType<(typeof FILTERS)[Name]>;
};

/**
 * Reads a filter from the page's address, which anybody may have typed. `kind` is the earlier name of `event_type`, in
 * addresses that somebody has kept.
 */
export function deliveryFilter({ kind, event_type = kind, ...search }: Search): DeliveryFilter {
  const given: Search = { ...search, event_type };
  const found = Object.entries(FILTERS).map(([name, read]) => [name, read(given[name])] as const);
  return Object.fromEntries(found.filter(([, value]) => value !== undefined));
}

/** Whether a filter leaves deliveries out, and is not only a part of all. */
export const isFiltering = (filter: DeliveryFilter): boolean =>
  Object.keys(filter).some((name) => name !== 'cursor');

/** How the list is shown, beside what it lists. */
export interface ListView {
  /** Delivery beside the list, `wh_….dlv_…`. */
  readonly open?: string | undefined;
  /** Present: the deliveries of an event are one row. */
  readonly by?: 'event' | undefined;
}

/** Reads the view from the page's address. */
export const listView = ({ open, by }: Search): ListView => ({
  ...(typeof open === 'string' && OPEN.test(open) && { open }),
  ...(by === 'event' && { by }),
});

/** Returns the filter as parameters of the API. */
export function queryOf({ period, ...filter }: DeliveryFilter, now: Date): DeliveryQuery {
  const from = period && new Date(now.getTime() - PERIODS[period].ms).toISOString();
  const status = filter.status === 'waiting' ? 'pending,retrying' : filter.status;
  const asked: { readonly [Name in keyof DeliveryQuery]: DeliveryQuery[Name] | undefined } = {
    ...filter,
    status,
    http_status: filter.http_status?.toString(),
    ...(status === 'held' && { sent_again: 'false' }),
    ...(from && { from }),
  };
  return Object.fromEntries(Object.entries(asked).filter(([, value]) => value)) as DeliveryQuery;
}

/** Returns where a list is had as a file. */
export function exportAddress(filter: DeliveryFilter, format: 'csv' | 'jsonl', now: Date): string {
  const query = new URLSearchParams({ format });
  for (const [name, value] of Object.entries(queryOf(filter, now))) query.set(name, String(value));
  return `/api/deliveries?${query.toString()}`;
}

/** The id of a message or delivery somewhere in what was pasted: a header, a line of a log. */
export function idIn(text: string): string | undefined {
  return new RegExp(`(?:msg|dlv)_${UUID}`).exec(text)?.[0];
}

/** When a delivery was made, in milliseconds: its id begins with that (UUID version 7, RFC 9562). */
export const madeAtMs = (deliveryId: string): number =>
  Number.parseInt(deliveryId.slice('dlv_'.length).replace('-', '').slice(0, 12), 16);

/** An address that holds digits alone gives them as a number. */
function searchedText(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  return String(value).trim().slice(0, TEXT_MAX) || undefined;
}

const isPeriod = (value: unknown): value is Period =>
  typeof value === 'string' && Object.hasOwn(PERIODS, value);

const numberOr = (text: string): number | string => (/^\d+$/.test(text) ? Number(text) : text);

function momentIn(value: unknown): string | undefined {
  const text = textLike(MOMENT)(value);
  return text !== undefined && !Number.isNaN(Date.parse(text)) ? text : undefined;
}
