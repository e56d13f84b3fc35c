import { z } from 'zod';

// Any integer of JSON is accepted, also one that JavaScript cannot hold exactly: receivers get the digits as sent.
const count = z
  .number()
  .nonnegative()
  .refine(Number.isInteger, 'Must be an integer.')
  .meta({ type: 'integer' });

/**
 * A field that data may hold. It has no type on purpose: the interface names none, and an event of a
 * producer that writes it in another way is to be delivered, not to become a dead letter.
 */
const documented = (description: string) => z.unknown().optional().meta({ description });

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
    draft_id: documented('Which draft it is.'),
    subject: documented('The subject of the draft.'),
    to: documented('The addresses it would go to, a list.'),
  }),
  'meeting.joined': z.looseObject({
    meeting_id: documented('Which meeting it is.'),
    title: documented('What the meeting is called.'),
    notes: documented('The notes taken there.'),
  }),
  'briefing.sent': z.looseObject({
    briefing_id: documented('Which briefing it is.'),
    items: documented('How many items it has.'),
  }),
  'reminder.sent': z.looseObject({
    reminder_id: documented('Which reminder it is.'),
    text: documented('What the user is reminded of.'),
  }),
} as const satisfies Record<string, z.ZodType>;

/** The kinds of event an assistant publishes and a webhook receives. */
export type EventKind = keyof typeof dataSchemas;

/** Type of `data` of each kind, for the producer that writes it. */
export type EventData = { readonly [Kind in EventKind]: z.input<(typeof dataSchemas)[Kind]> };

export const EVENT_KINDS = Object.keys(dataSchemas) as readonly EventKind[];

export const isEventKind = (text: string): text is EventKind => Object.hasOwn(dataSchemas, text);
