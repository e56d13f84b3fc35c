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

/** Every kind that is not opt-in, also those that come later. */
export const ALL_KINDS = '*';

/** A kind that this page does not know yet goes by its own name. */
export const labelOfKind = (type: string): string =>
  EVENT_KINDS.find((kind) => kind.type === type)?.label ?? type;

/** `Inbox organized, Every meeting event`; or that it is every kind there is. */
export function kindsInWords(choices: readonly string[]): string {
  const isAll = EVENT_KINDS.every(({ type }) => choices.includes(type));
  return isAll ? 'All kinds of events' : choices.map(choiceInWords).join(', ');
}

function choiceInWords(choice: string): string {
  if (choice === ALL_KINDS) return 'All kinds of events, also later ones';
  return choice.endsWith('.*') ? `Every ${choice.slice(0, -2)} event` : labelOfKind(choice);
}

/** What is ticked in a form: what was chosen, and the kinds that its wildcards cover. */
export const tickedBy = (choices: readonly string[]): string[] => {
  const covered = EVENT_KINDS.map(({ type }) => type).filter(
    (type) => !choices.includes(type) && isCovered(type, choices),
  );
  return [...choices, ...covered];
};

/** The choice after a click: a wildcard goes with the first kind that is taken from it, and leaves the others chosen. */
export function choicesOf(ticked: readonly string[], before: readonly string[]): string[] {
  const taken = tickedBy(before).filter((type) => !ticked.includes(type));
  const kept = ticked.filter((choice) => !taken.some((type) => covers(choice, type)));
  return kept.filter((choice) => isWildcard(choice) || !isCovered(choice, kept));
}

const isWildcard = (choice: string): boolean => choice.endsWith('*');

const isCovered = (type: string, choices: readonly string[]): boolean =>
  choices.some((choice) => isWildcard(choice) && covers(choice, type));

/** Of the kinds on this page none is opt-in; notices, which are, have names of their own groups. */
function covers(choice: string, type: string): boolean {
  if (choice === ALL_KINDS) return EVENT_KINDS.some((kind) => kind.type === type);
  return choice.endsWith('.*') && type.startsWith(choice.slice(0, -1));
}
