import type { IdPrefix } from '@junction/contracts';

/**
 * In memory every id has its prefix: `dlv_…`. Rows hold the UUID behind it: 16 bytes, in several indexes for each
 * delivery. `statement` converts what it declares as ids, and `uuids` the arrays of those that write much.
 */
export const toStoredId = (id: string): string => id.slice(id.indexOf('_') + 1);

/** Names of parameters and columns that are ids, or arrays of ids, with the prefix of each. */
export type Ids = Readonly<Record<string, Extract<IdPrefix, 'wh' | 'dlv' | 'op'> | 'msg'>>;

/** Rows of a result, with its columns. */
interface Result {
  readonly rows: readonly object[];
  readonly fields: readonly { readonly name: string }[];
}

/**
 * Returns what converts the ids of a statement, in place: `store` in the values of its parameters, which come in this
 * order, and `restore` in its rows. Throws a TypeError for a value that does not begin with the declared prefix, and
 * with the first result for a declared name that is neither a parameter nor a column.
 */
export function idConversion(ids: Ids, parameters: readonly string[]) {
  const declared = Object.entries(ids).map(([name, prefix]) => declaredId(name, `${prefix}_`));
  const stored = declared
    .map(({ name, store }) => ({ position: parameters.indexOf(name), store }))
    .filter(({ position }) => position >= 0);
  let restored: readonly DeclaredId[] | undefined;

  return {
    store(values: unknown[]): void {
      for (const { position, store } of stored) {
        values[position] = converted(values[position], store);
      }
    },

    restore({ rows, fields }: Result): void {
      restored ??= columnsOf(fields, declared, parameters);
      for (const { name, restore } of restored) {
        for (const row of rows as readonly Record<string, unknown>[]) {
          row[name] = converted(row[name], restore);
        }
      }
    },
  };
}

interface DeclaredId {
  readonly name: string;
  readonly store: (id: string) => string;
  readonly restore: (id: string) => string;
}

const declaredId = (name: string, prefix: string): DeclaredId => ({
  name,
  store(id) {
    if (id.startsWith(prefix)) return id.slice(prefix.length);
    throw new TypeError(`The value of ${name} must begin with ${prefix}, unlike ${id}.`);
  },
  restore: (id) => prefix + id,
});

function columnsOf(
  fields: Result['fields'],
  declared: readonly DeclaredId[],
  parameters: readonly string[],
): readonly DeclaredId[] {
  const columns = new Set(fields.map(({ name }) => name));
  const lost = declared.find(({ name }) => !columns.has(name) && !parameters.includes(name));
  if (lost) throw new TypeError(`The statement has no parameter and no column ${lost.name}.`);
  return declared.filter(({ name }) => columns.has(name));
}

/** Converts an id, or each id of an array. Null stays, and so does an array that `uuids` has made. */
function converted(value: unknown, convert: (id: string) => string): unknown {
  if (typeof value === 'string') return convert(value);
  return Array.isArray(value) ? value.map(convert) : value;
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
