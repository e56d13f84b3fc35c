import type { IdPrefix } from '@junction/contracts';

/** Rows of deliveries hold the UUID behind the prefix: 16 bytes, in several indexes for each of them. */
export const toStoredId = (id: string): string => id.slice(id.indexOf('_') + 1);

export const fromStoredId = (prefix: IdPrefix | 'msg', uuid: string): string => `${prefix}_${uuid}`;

const VERSION_DIGITS = 12;

/** When a UUIDv7 was made: its first 48 bits are milliseconds since 1970 (RFC 9562, section 5.7). */
export const timeOfId = (uuid: string): Date =>
  new Date(Number.parseInt(uuid.replaceAll('-', '').slice(0, VERSION_DIGITS), 16));
