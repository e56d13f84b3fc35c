import { z } from 'zod';

const anyObject = z.looseObject({});
// Any integer of JSON, not only those that JavaScript holds exactly: receivers get the digits as sent.
const count = z
  .number()
  .nonnegative()
  .refine(Number.isInteger, 'Must be an integer.')
  .meta({ type: 'integer' });

/** What `data` of each kind must hold. Further fields pass: receivers get the bytes as they came. */
export const dataSchemas = {
  'inbox.organized': z.looseObject({
    total_emails: count,
    categorized: z.looseObject({ important: count, meetings: count, tasks: count }),
  }),
  'draft.created': anyObject,
  'meeting.joined': anyObject,
  'briefing.sent': anyObject,
  'reminder.sent': anyObject,
} as const satisfies Record<string, z.ZodType>;

/** The kinds of event an assistant publishes and a webhook receives. */
export type EventKind = keyof typeof dataSchemas;

export const EVENT_KINDS = Object.keys(dataSchemas) as readonly EventKind[];

export const isEventKind = (text: string): text is EventKind => Object.hasOwn(dataSchemas, text);
