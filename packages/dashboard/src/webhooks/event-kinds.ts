export interface EventKind {
  /** `event_type` in what is delivered. */
  readonly type: string;
  readonly label: string;
  readonly sentWhen: string;
}

/** What a webhook can be called for, in the catalogue's order. */
export const EVENT_KINDS: readonly EventKind[] = [
  {
    type: 'inbox.organized',
    label: 'Inbox organized',
    sentWhen: 'The assistant has finished organizing your inbox.',
  },
  {
    type: 'draft.created',
    label: 'Draft created',
    sentWhen: 'A new draft reply is waiting for you.',
  },
  {
    type: 'meeting.joined',
    label: 'Meeting joined',
    sentWhen: 'The assistant has joined a meeting and taken notes.',
  },
  { type: 'briefing.sent', label: 'Briefing sent', sentWhen: 'Your daily briefing went out.' },
  { type: 'reminder.sent', label: 'Reminder sent', sentWhen: 'A reminder went out.' },
];

/** A kind that this page does not know yet goes by its own name. */
export const labelOfKind = (type: string): string =>
  EVENT_KINDS.find((kind) => kind.type === type)?.label ?? type;

/** `Inbox organized, Draft created`; or that it is every kind there is. */
export function kindsInWords(types: readonly string[]): string {
  const isAll = EVENT_KINDS.every(({ type }) => types.includes(type));
  return isAll ? 'All kinds of events' : types.map(labelOfKind).join(', ');
}
