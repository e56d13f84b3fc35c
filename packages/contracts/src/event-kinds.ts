import { z } from 'zod';

// Any integer of JSON is accepted, also one that JavaScript cannot hold exactly: receivers get the digits as sent.
const count = z
  .number()
  .nonnegative()
  .refine(Number.isInteger, 'Must be an integer.')
  .meta({ type: 'integer' });

/**
 * A field that data may hold, with its type for readers. Nothing is checked: the interface names no type, and an event
 * of a producer that writes another one is to be delivered, not to become a dead letter.
 */
const documented = <T>(
  schema: { readonly type: string; readonly items?: object },
  description: string,
) =>
  z
    .custom<T>()
    .optional()
    .meta({ ...schema, description });
const text = (description: string) => documented<string>({ type: 'string' }, description);
const texts = { type: 'array', items: { type: 'string' } };

/**
 * Schemas for `data` of each kind: required fields of inbox.organized, optional ones of the others. Further fields
 * pass, because receivers get the bytes as they came.
 */
export const dataSchemas = {
  'inbox.organized': z.looseObject({
    total_emails: count,
    categorized: z.looseObject({ important: count, meetings: count, tasks: count }),
  }),
  'draft.created': z.looseObject({
    draft_id: text('Which draft it is.'),
    subject: text('The subject of the draft.'),
    to: documented<readonly string[]>(texts, 'The addresses it would go to.'),
  }),
  'meeting.joined': z.looseObject({
    meeting_id: text('Which meeting it is.'),
    title: text('What the meeting is called.'),
    notes: text('The notes taken there.'),
  }),
  'briefing.sent': z.looseObject({
    briefing_id: text('Which briefing it is.'),
    items: documented<number>({ type: 'integer' }, 'How many items it has.'),
  }),
  'reminder.sent': z.looseObject({
    reminder_id: text('Which reminder it is.'),
    text: text('What the user is reminded of.'),
  }),
} as const satisfies Record<string, z.ZodType>;

/** The kinds of event an assistant publishes and a webhook receives. */
export type EventKind = keyof typeof dataSchemas;

/** Type of `data` of each kind, for the producer that writes it. */
export type EventData = { readonly [Kind in EventKind]: z.input<(typeof dataSchemas)[Kind]> };

export const EVENT_KINDS = Object.keys(dataSchemas) as readonly EventKind[];

export const isEventKind = (text: string): text is EventKind => Object.hasOwn(dataSchemas, text);
