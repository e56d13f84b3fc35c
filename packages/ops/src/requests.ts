import type { Wanted } from '@junction/messaging';
import { z } from 'zod';
import { positionOf } from './cursor.js';

/**
 * Schemas of operators' requests. Names are narrower than what a store would take: the journal keeps names for ever,
 * and an address or a sentence that was sent by mistake must not get there.
 */
const NAME = /^[\w.:-]+$/;
const NAME_HINT = 'Letters, digits and - _ . : only.';
const NAME_MAX = 200;
const LIMIT_MAX = 1_000;
const LIMIT_DEFAULT = 100;
const VERSION_MAX = 2_147_483_647;

const text = z.string().max(NAME_MAX).regex(NAME, NAME_HINT);
const optionalText = z.union([z.literal('').transform(() => undefined), text]);
const streamId = text.regex(/^[^-]+-./, 'A stream is named <aggregate>-<id>.');
const version = z.int().min(0).max(VERSION_MAX);
const limit = z
  .int()
  .min(0)
  .max(LIMIT_MAX)
  .transform((limit) => (limit === 0 ? LIMIT_DEFAULT : limit));

export const streamsRequest = z.object({
  prefix: optionalText,
  after: optionalText,
  limit,
});

export const streamEventsRequest = z.object({ streamId, afterVersion: version, limit });

const placeOfEvent = z.object({
  eventId: z.literal(''),
  streamId,
  version: version.min(1, 'Versions begin with 1.'),
});
const idOfEvent = z.object({
  eventId: z.uuid(),
  streamId: z.union([z.literal('').transform(() => undefined), streamId]),
  version: z.literal(0, 'With an event id there is no need of a version.'),
});
export const eventRequest = z.union([placeOfEvent, idOfEvent]);

export const stateRequest = z.object({
  streamId,
  asOf: z
    .discriminatedUnion('$case', [
      z.object({ $case: z.literal('version'), value: version }),
      z.object({ $case: z.literal('time'), value: z.date() }),
    ])
    .optional(),
});

export const followRequest = z.object({
  category: z.union([
    z.literal('').transform(() => undefined),
    text.regex(/^[^-]+$/, 'A category is what stands before the first hyphen of a stream.'),
  ]),
  from: z
    .discriminatedUnion('$case', [
      z.object({ $case: z.literal('cursor'), value: z.string() }),
      z.object({ $case: z.literal('beginning'), value: z.boolean() }),
    ])
    .optional(),
});

const name = text.max(63, 'A name has at most 63 characters.');
/** Integers that JavaScript represents exactly. Positions and offsets stay far below that bound. */
const place = z.int().min(0);

export const projectionRequest = z.object({ name });

/** Omits empty fields, and the whole filter with them when nothing is left. */
const filter = z
  .object({
    consumer: optionalText,
    topic: optionalText,
    reason: optionalText,
    userId: z.union([z.literal('').transform(() => undefined), z.uuid()]),
  })
  .transform(({ consumer, topic, reason, userId }) => ({
    ...(consumer !== undefined && { consumer }),
    ...(topic !== undefined && { topic }),
    ...(reason !== undefined && { reason }),
    ...(userId !== undefined && { userId }),
  }));
const noFilter = { consumer: '', topic: '', reason: '', userId: '' };

const LETTERS_MAX = 200;
const IDS_MAX = 500;

export const deadLettersRequest = z
  .object({
    filter: filter.prefault(noFilter),
    state: z
      .enum(['', 'open', 'redriven', 'discarded'])
      .transform((state) => (state === '' ? 'open' : state)),
    limit: limit.pipe(z.int().max(LETTERS_MAX)),
    after: z.union([z.literal(''), z.uuid()]),
  })
  .transform(({ after, ...rest }) => ({ ...rest, ...(after !== '' && { after }) }));

/** Query of a page of accesses: the position after which the page begins, the actor, and the earliest time. */
export const accessesRequest = z.object({
  actor: optionalText,
  since: z.date().optional(),
  limit: limit.pipe(z.int().max(LETTERS_MAX)),
  after: z.union([z.literal('').transform(() => undefined), z.string().transform(positionOf)]),
});

export const deadLetterRequest = z.object({ id: z.uuid(), withRecord: z.boolean() });

type Filter = z.output<typeof filter>;

const some = {
  ids: z.array(z.uuid()).max(IDS_MAX),
  filter: filter.optional(),
};
/**
 * Tells whether a request names ids or a filter, and not both. With neither it would mean all dead letters, by mistake.
 */
const isEither = ({ ids, filter }: { ids: readonly string[]; filter?: Filter | undefined }) =>
  ids.length > 0 !== (filter !== undefined && Object.keys(filter).length > 0);
const EITHER = 'Name either ids or a filter that leaves something out.';
const wantedOf = ({
  ids,
  filter,
}: {
  ids: readonly string[];
  filter?: Filter | undefined;
}): Wanted => (ids.length > 0 ? { ids } : { filter: filter ?? {} });

export const redriveRequest = z.object(some).refine(isEither, EITHER).transform(wantedOf);

export const dropRequest = z
  .object({ ...some, note: z.string().trim().min(1, 'Say why they are given up.').max(500) })
  .refine(isEither, EITHER)
  .transform((request) => ({ wanted: wantedOf(request), note: request.note }));

const resetTo = z.discriminatedUnion('$case', [
  z.object({ $case: z.literal('beginning'), value: z.literal(true) }),
  z.object({ $case: z.literal('end'), value: z.literal(true) }),
  z.object({ $case: z.literal('offset'), value: place }),
  z.object({ $case: z.literal('time'), value: z.date() }),
]);
export type ResetTo = z.output<typeof resetTo>;

export const resetRequest = z.object({
  consumer: text,
  topic: text,
  partition: place,
  to: resetTo,
  force: z.boolean(),
});
