import { z } from 'zod';

/**
 * Schemas of fields of operators' requests. Names are narrower than a store would take: the journal keeps names for
 * ever, and an address or a sentence that was sent by mistake must not get there.
 */
const NAME = /^[\w.:-]+$/;
const NAME_HINT = 'Letters, digits and - _ . : only.';
const NAME_MAX = 200;
const VERSION_MAX = 2_147_483_647;

export const name = z.string().max(NAME_MAX).regex(NAME, NAME_HINT);
export const shortName = name.max(63, 'A name has at most 63 characters.');
export const streamId = name.regex(/^[^-]+-./, 'A stream is named <aggregate>-<id>.');
export const category = name.regex(
  /^[^-]+$/,
  'A category is what stands before the first hyphen of a stream.',
);
export const version = z.coerce.number().int().min(0).max(VERSION_MAX);
export const eventVersion = version.min(1, 'Versions begin with 1.');

/** Moment that both JavaScript and Postgres write with four digits of a year. */
export const moment = z.coerce
  .date()
  .min(new Date('0001-01-01T00:00:00Z'))
  .max(new Date('9999-12-31T23:59:59.999Z'));

/** Number of items on a page. */
export const limit = (max: number, otherwise: number) =>
  z.coerce.number().int().min(1).max(max).default(otherwise);
