import { type EventCatalogue, parseRfc3339 } from '@junction/contracts';
import { DEPRECATED } from '@junction/service/http';
import type { RequestHandler } from 'express';
import { z } from 'zod';

const ITEMS_DEFAULT = 50;
export const ITEMS_MAX = 200;

export const kindIn = ({ kinds }: EventCatalogue) =>
  z.string().refine((text) => kinds.includes(text), {
    params: { code: 'unknown_kind' },
    error: `must be one of ${kinds.join(', ')}.`,
  });

/** The filter by kind of event; `kind`, its earlier name, is answered for one release beside it. */
export const eventTypeFilter = (catalogue: EventCatalogue) => ({
  event_type: kindIn(catalogue).optional(),
  kind: kindIn(catalogue)
    .optional()
    .describe(earlierNameOf('event_type'))
    .meta({ deprecated: true }),
});
/** Marks the answer to a request that uses the earlier name. */
export const markOldName: RequestHandler = ({ query, body }, res, next) => {
  const isOld = [query, Object(body)].some((fields) => 'kind' in fields || 'kinds' in fields);
  if (isOld) res.set('Deprecation', DEPRECATED);
  next();
};

interface EventTypes {
  readonly event_type?: string | undefined;
  readonly kind?: string | undefined;
}
/** Puts what the earlier name says under the present one. */
export const withEventType = <Query extends EventTypes>({
  kind,
  event_type = kind,
  ...query
}: Query) => ({ ...query, event_type });
export const earlierNameOf = (name: string): string =>
  `The earlier name of \`${name}\`, which goes with the next release.`;

export const cursorOf = (isId: (text: string) => boolean) =>
  z.string().refine(isId, 'must be a next_cursor of an earlier page.').optional();

/** Said of lists that look at so many rows for a page at most. */
export const SHORT_PAGES =
  'A page may hold fewer than `limit`, or none, and still lead on: `searched_back_to` says how far it has looked.';

/** Digits alone: what else reads as a number, a blank or 0x10, is a mistake. */
export const limit = z
  .string()
  .regex(/^\d{1,9}$/, 'must be a whole number.')
  // To callers it is a number: its digits are how a query has it.
  .meta({ type: 'integer', pattern: undefined, minimum: 1, maximum: ITEMS_MAX })
  .transform(Number)
  .pipe(z.int().min(1).max(ITEMS_MAX))
  .default(ITEMS_DEFAULT);

/** In a query a + stands for a blank (WHATWG URL, application/x-www-form-urlencoded). */
const LOST_PLUS = /T.* \d\d:\d\d$/;

/** A moment of ISO 8601 with its offset, as RFC 3339 has it. */
export const moment = z.string().transform((text, context) => {
  const at = parseRfc3339(text);
  if (at !== undefined) return at;
  const message = LOST_PLUS.test(text)
    ? 'has a blank where its offset has a +: write that as %2B in a query.'
    : 'must be a moment with its offset, such as 2030-01-02T03:04:05Z.';
  context.addIssue({ code: 'custom', params: { code: 'invalid_format' }, message });
  return z.NEVER;
});

type Span = { readonly from?: Date | undefined; readonly to?: Date | undefined };
export const inOrder = ({ from, to }: Span) => !from || !to || from < to;
export const NOT_IN_ORDER = { path: ['to'], error: 'must be later than from.' };

export const idWith = (isId: (text: string) => boolean, prefix: string) =>
  z.string().refine(isId, `must be an id that begins with ${prefix}_.`);
