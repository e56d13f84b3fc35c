import type { DeadLetterFilter, StoredDeadLetter, Wanted } from '@junction/messaging';
import { z } from 'zod';
import { limit, name } from './fields.js';

const LETTERS_MAX = 200;
const LIMIT_DEFAULT = 100;
const IDS_MAX = 500;
const NOTE_MAX = 500;

const filterFields = {
  consumer: name.optional(),
  topic: name.optional().describe('Without a prefix.'),
  reason: name.optional().describe('The code of the reason.'),
};

export const lettersQuery = z.object({
  ...filterFields,
  user_id: z.uuid().optional().describe('Only service accounts may filter by it.'),
  state: z.enum(['open', 'redriven', 'discarded']).default('open'),
  cursor: z.uuid().optional(),
  limit: limit(LETTERS_MAX, LIMIT_DEFAULT),
});

const filter = z.strictObject({ ...filterFields, user_id: z.uuid().optional() });
const ids = z.array(z.uuid()).min(1).max(IDS_MAX);
const some = {
  ids: ids.optional(),
  filter: filter
    .optional()
    .describe(`The oldest ${IDS_MAX} open ones that fit. Only service accounts may filter.`),
};

/** Body of people, who choose from a list. */
export const redriveOfPeople = z.strictObject({ ids });
export const redriveBody = z
  .strictObject(some)
  .refine(namesEither, 'Name either ids or a filter that leaves something out.')
  .transform(wantedOf);
export const dropBody = z
  .strictObject({
    ...some,
    note: z
      .string()
      .trim()
      .min(1, 'Say why they are given up.')
      .max(NOTE_MAX)
      .describe('Kept with them, and deleted with them.'),
  })
  .refine(namesEither, 'Name either ids or a filter that leaves something out.')
  .transform((body) => ({ wanted: wantedOf(body), note: body.note }));

interface Some {
  readonly ids?: string[] | undefined;
  readonly filter?: z.output<typeof filter> | undefined;
}

/** Tells whether a request names ids or a filter, and not both. With neither it would mean all, by mistake. */
function namesEither({ ids, filter }: Some): boolean {
  const isFiltered = filter !== undefined && Object.keys(filterOf(filter)).length > 0;
  return (ids !== undefined) !== isFiltered;
}

function wantedOf({ ids, filter }: Some): Wanted {
  return ids ? { ids } : { filter: filterOf(filter ?? {}) };
}

/** Returns a filter without the fields that are absent. */
export const filterOf = ({
  consumer,
  topic,
  reason,
  user_id: userId,
}: z.output<typeof filter>): DeadLetterFilter => ({
  ...(consumer !== undefined && { consumer }),
  ...(topic !== undefined && { topic }),
  ...(reason !== undefined && { reason }),
  ...(userId !== undefined && { userId }),
});

const forTools = 'Only service accounts are told.';

export const letter = z
  .object({
    id: z.uuid(),
    consumer: z.string(),
    topic: z.string(),
    partition: z.int(),
    offset: z.int(),
    reason: z.string(),
    state: z.string(),
    redrives: z.int(),
    recorded_at: z.iso.datetime(),
    set_aside_at: z.iso.datetime(),
    resolved_at: z.iso.datetime().nullable(),
    key: z.string().nullable().optional().describe(forTools),
    user_id: z.string().nullable().optional().describe(forTools),
    reason_text: z.string().optional().describe(forTools),
    resolved_by: z.string().nullable().optional().describe(forTools),
    note: z.string().nullable().optional().describe(forTools),
  })
  .meta({ id: 'DeadLetter' });

/** Returns the view of a dead letter, without the record, its key, its user, and what people wrote about it. */
export const letterView = ({ id, reason, state, redrives, ...letter }: StoredDeadLetter) => ({
  id,
  consumer: letter.consumer,
  topic: letter.topic,
  partition: letter.partition,
  offset: Number(letter.offset),
  reason: reason.code,
  state,
  redrives,
  recorded_at: letter.recordedAt.toISOString(),
  set_aside_at: letter.at.toISOString(),
  resolved_at: letter.resolvedAt?.toISOString() ?? null,
});

/** Returns the view of a dead letter for service accounts, which has everything but the record. */
export const wholeView = (letter: StoredDeadLetter) => ({
  ...letterView(letter),
  key: letter.key,
  user_id: letter.userId,
  reason_text: letter.reason.text,
  resolved_by: letter.resolvedBy,
  note: letter.note,
});
