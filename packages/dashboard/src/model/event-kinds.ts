import type { Schemas } from '../api/types.js';

/** Kinds of event, as GET /api/webhooks/event-types lists them. */
export type Catalogue = readonly Pick<Schemas['EventType'], 'event_type' | 'opt_in'>[];

/** Wildcard for every kind that is not opt-in, later ones included. */
export const ALL_KINDS = '*';

/** `inbox.organized`: Inbox organized. */
export function labelOfKind(type: string): string {
  const words = type.replaceAll(/[._]/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Returns the label of a kind or a wildcard in a form. */
export function labelOfChoice(choice: string): string {
  if (choice === ALL_KINDS) return 'Every kind, including later ones';
  return choice.endsWith('.*') ? `Every ${choice.slice(0, -2)} event` : labelOfKind(choice);
}

/** The kinds that a webhook gets without asking for notices. */
export const ordinaryKinds = (catalogue: Catalogue): readonly string[] =>
  catalogue.filter((entry) => !entry.opt_in).map(({ event_type: type }) => type);

/** `Inbox organized, Every meeting event`; or that it is every kind there is. */
export function kindsInWords(choices: readonly string[], catalogue: Catalogue): string {
  const ordinary = ordinaryKinds(catalogue);
  const isAll = ordinary.length > 0 && ordinary.every((type) => choices.includes(type));
  const others = isAll ? choices.filter((choice) => !ordinary.includes(choice)) : choices;
  const all = isAll ? ['All kinds of events'] : [];
  return [...all, ...others.map(choiceInWords)].join(', ');
}

const choiceInWords = (choice: string): string =>
  choice === ALL_KINDS ? 'All kinds of events, including later ones' : labelOfChoice(choice);

/** `meeting.*` of `meeting.joined`: every kind whose name begins so. */
const groupOf = (type: string): string => `${type.split('.', 1)[0] ?? type}.*`;

/** The wildcards of these kinds. */
export const groupsOf = (types: readonly string[]): readonly string[] => [
  ...new Set(types.map(groupOf)),
];

/** Choices that are neither in the catalogue nor wildcards of it: kinds that came after this page was made. */
export function unknownChoices(
  choices: readonly string[],
  catalogue: Catalogue,
): readonly string[] {
  const types = catalogue.map(({ event_type: type }) => type);
  const known = [ALL_KINDS, ...types, ...groupsOf(types)];
  return choices.filter((choice) => !known.includes(choice));
}

/** Returns the ticked boxes of a form: the choices, and the kinds that chosen wildcards cover. */
export function tickedBy(choices: readonly string[], catalogue: Catalogue): string[] {
  const covered = catalogue.filter(
    (entry) => !choices.includes(entry.event_type) && isCovered(entry, choices),
  );
  return [...choices, ...covered.map(({ event_type: type }) => type)];
}

/**
 * Returns the choices after a click. When a kind is taken from a wildcard, the wildcard goes and its other kinds stay
 * chosen.
 */
export function choicesOf(
  ticked: readonly string[],
  before: readonly string[],
  catalogue: Catalogue,
): string[] {
  const was = tickedBy(before, catalogue);
  const gone = catalogue.filter(
    ({ event_type: type }) => was.includes(type) && !ticked.includes(type),
  );
  const kept = ticked.filter((choice) => !gone.some((entry) => covers(choice, entry)));
  return kept.filter((choice) => {
    const entry = catalogue.find(({ event_type: type }) => type === choice);
    return entry === undefined || !isCovered(entry, kept);
  });
}

const isCovered = (entry: Catalogue[number], choices: readonly string[]): boolean =>
  choices.some((choice) => covers(choice, entry));

/** Returns whether a wildcard covers a kind. */
function covers(choice: string, { event_type: type, opt_in: isOptIn }: Catalogue[number]): boolean {
  if (choice === ALL_KINDS) return !isOptIn;
  return choice.endsWith('.*') && type.startsWith(choice.slice(0, -1));
}
