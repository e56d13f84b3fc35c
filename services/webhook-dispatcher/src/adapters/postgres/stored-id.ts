import type { IdPrefix } from '@junction/contracts';

/**
 * In memory every id has its prefix: `dlv_…`. Rows of deliveries hold the UUID behind it: 16 bytes, in several
 * indexes for each of them. `statement` and `uuids` convert, and nothing else does.
 */
export const toStoredId = (id: string): string => id.slice(id.indexOf('_') + 1);

const PREFIXES = {
  webhook: 'wh',
  delivery: 'dlv',
  original: 'dlv',
  message: 'msg',
  operation: 'op',
} as const satisfies Record<string, IdPrefix | 'msg'>;

type Named = keyof typeof PREFIXES;

const ID_NAME = /(?:^|_)(?<named>webhook|delivery|original|message|operation)_ids?$/;

/** The values of named parameters, with the ids among them (`delivery_id`, `webhook_ids`) as they are stored. */
export const storedIds = (values: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      ID_NAME.test(name) ? stored(value) : value,
    ]),
  );

function stored(value: unknown): unknown {
  if (typeof value === 'string') return toStoredId(value);
  // null, or an array in binary form, which `uuids` has converted.
  return Array.isArray(value) ? value.map((id: string) => toStoredId(id)) : value;
}

/** Object ids of uuid and uuid[] (pg_type.dat), which are the same in every Postgres. */
const UUID = 2950;
const UUID_ARRAY = 2951;

/** Gives the ids in these rows their prefixes, in place: columns named like an id and of the type uuid. */
export function prefixIds(
  rows: readonly object[],
  columns: readonly { readonly name: string; readonly dataTypeID: number }[],
): void {
  for (const { name, dataTypeID } of columns) {
    if (dataTypeID !== UUID && dataTypeID !== UUID_ARRAY) continue;
    const named = ID_NAME.exec(name)?.groups?.['named'];
    if (named === undefined) continue;
    const prefix = PREFIXES[named as Named];
    for (const row of rows as readonly Record<string, unknown>[]) {
      row[name] = prefixed(prefix, row[name]);
    }
  }
}

function prefixed(prefix: string, value: unknown): unknown {
  if (typeof value === 'string') return `${prefix}_${value}`;
  return Array.isArray(value) ? value.map((id: string) => `${prefix}_${id}`) : value;
}

const VERSION_DIGITS = 12;
/** Last moment that ISO 8601 and Postgres write alike. An invented id or moment may lie beyond it. */
const LAST_MS = Date.parse('9999-12-31T00:00:00Z');

const within = (ms: number): number => Math.min(Math.max(0, ms), LAST_MS);

/**
 * Returns the time at which a delivery's id was made: the first 48 bits of a UUIDv7 are milliseconds since 1970 (RFC
 * 9562, section 5.7).
 */
export const timeOfId = (id: string): Date =>
  new Date(Number.parseInt(toStoredId(id).replaceAll('-', '').slice(0, VERSION_DIGITS), 16));

/** The lowest id that one of a delivery made in that millisecond can be above; before 1970 there is none. */
export const lowestIdAt = (time: Date): string => {
  const digits = within(time.getTime()).toString(16).padStart(VERSION_DIGITS, '0');
  return `dlv_${digits.slice(0, 8)}-${digits.slice(8)}-0000-0000-000000000000`;
};

const DAY_MS = 86_400_000;

/**
 * Returns the days (YYYY-MM-DD) that can hold the delivery: the clocks that made its id and that filed it may disagree.
 */
export const daysAround = (id: string): readonly [first: string, last: string] => {
  const time = timeOfId(id);
  return [dayOf(time, -DAY_MS), dayOf(time, DAY_MS)];
};

/** The day (UTC) of a moment, shifted by that. */
export const dayOf = (time: Date, shiftMs: number): string =>
  new Date(within(time.getTime() + shiftMs)).toISOString().slice(0, 10);
