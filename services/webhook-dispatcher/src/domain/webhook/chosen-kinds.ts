import { DELIVERED_KINDS, isNoticeKind } from '@junction/contracts';

/** Every kind that is not opt-in: whoever asks for all has not asked to be told of our own doings. */
const ALL = '*';
/** `meeting.*`: every kind whose name begins with `meeting.` */
const groupOf = (kind: string): string => `${kind.split('.', 1)[0]}.*`;

/** What a webhook may name, each wildcard before what it covers. */
const CHOICES = [...new Set([ALL, ...DELIVERED_KINDS.flatMap((kind) => [groupOf(kind), kind])])];

/** Whether it is a kind, or a wildcard that covers one. */
export const isChoice = (text: string): boolean => CHOICES.includes(text);

/** Whether this choice of a webhook covers events of the kind, also one that came after the choice. */
export function covers(choice: string, kind: string): boolean {
  if (choice === kind) return true;
  if (choice === ALL) return !isNoticeKind(kind);
  return choice.endsWith('.*') && kind.startsWith(choice.slice(0, -1));
}

/**
 * The same choice is the same list: each once, in the catalogue's order, and no kind beside a wildcard that covers it.
 * Wildcards stay: what later kinds they cover, nobody knows yet.
 */
export function normalized(chosen: readonly string[]): string[] {
  const wildcards = chosen.filter(isWildcard);
  const isNeeded = (choice: string) =>
    isWildcard(choice) || !wildcards.some((wildcard) => covers(wildcard, choice));
  return CHOICES.filter((choice) => chosen.includes(choice) && isNeeded(choice));
}

const isWildcard = (choice: string): boolean => choice.endsWith('*');
