import type { IdPrefix } from '@junction/contracts';

/** Rows of deliveries hold the UUID behind the prefix: 16 bytes, in several indexes for each of them. */
export const toStoredId = (id: string): string => id.slice(id.indexOf('_') + 1);

export const fromStoredId = (prefix: IdPrefix | 'msg', uuid: string): string => `${prefix}_${uuid}`;

const VERSION_DIGITS = 12;
/** What ISO 8601 and Postgres write alike. An id or a moment that somebody made up may lie beyond. */
const LAST_MS = Date.parse('9999-12-31T00:00:00Z');

const within = (ms: number): number => Math.min(Math.max(0, ms), LAST_MS);

/** When a UUIDv7 was made: its first 48 bits are milliseconds since 1970 (RFC 9562, section 5.7). */
export const timeOfId = (uuid: string): Date =>
  new Date(Number.parseInt(uuid.replaceAll('-', '').slice(0, VERSION_DIGITS), 16));

/** The lowest UUID that a UUIDv7 made in that millisecond can be above; before 1970 there is none. */
export const lowestIdAt = (time: Date): string => {
  const digits = within(time.getTime()).toString(16).padStart(VERSION_DIGITS, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}-0000-0000-000000000000`;
};

const DAY_MS = 86_400_000;

/** The days (YYYY-MM-DD) that can hold it: who made an id and who filed it may disagree about the time. */
export const daysAround = (uuid: string): readonly [first: string, last: string] => {
  const time = timeOfId(uuid);
  return [dayOf(time, -DAY_MS), dayOf(time, DAY_MS)];
};

/** The day (UTC) of a moment, shifted by that. */
export const dayOf = (time: Date, shiftMs: number): string =>
  new Date(within(time.getTime() + shiftMs)).toISOString().slice(0, 10);
