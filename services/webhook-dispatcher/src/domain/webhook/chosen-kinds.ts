import { DELIVERED_KINDS, isNoticeKind } from '@junction/contracts';

/** Wildcard for every kind that is not opt-in: a webhook for all events does not want notices about ourselves. */
const ALL = '*';
/** Returns the wildcard of a group: `meeting.*` covers every kind whose name starts with `meeting.` */
const groupOf = (kind: string): string => `${kind.split('.', 1)[0]}.*`;

/** Kinds and wildcards that a webhook may choose, each wildcard before the kinds it covers. */
const CHOICES = [...new Set([ALL, ...DELIVERED_KINDS.flatMap((kind) => [groupOf(kind), kind])])];

/** Returns whether the text is a kind, or a wildcard that covers one. */
export const isChoice = (text: string): boolean => CHOICES.includes(text);

/** Returns whether this choice of a webhook covers events of the kind, also of a kind that is newer than the choice. */
export function covers(choice: string, kind: string): boolean {
  if (choice === kind) return true;
  if (choice === ALL) return !isNoticeKind(kind);
  return choice.endsWith('.*') && kind.startsWith(choice.slice(0, -1));
}

/**
 * Returns the same list for the same choice: each entry once, in the catalogue's order, and no kind beside a wildcard
 * that covers it. Wildcards stay, since they may cover later kinds.
 */
export function normalized(chosen: readonly string[]): string[] {
  const wildcards = chosen.filter(isWildcard);
  const isNeeded = (choice: string) =>
    isWildcard(choice) || !wildcards.some((wildcard) => covers(wildcard, choice));
  return CHOICES.filter((choice) => chosen.includes(choice) && isNeeded(choice));
}

const isWildcard = (choice: string): boolean => choice.endsWith('*');
