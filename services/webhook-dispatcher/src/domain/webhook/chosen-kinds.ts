/** Wildcard for every kind that is not opt-in: a webhook for all events does not want notices about ourselves. */
const ALL = '*';
/** Returns the wildcard of a group: `meeting.*` covers every kind whose name starts with `meeting.` */
const groupOf = (kind: string): string => `${kind.split('.', 1)[0]}.*`;

/** Kinds of an installation, as far as webhooks choose among them. */
export interface ChoosableKinds {
  readonly kinds: readonly string[];
  /** True: `*` does not cover the kind. */
  readonly isOptIn: (kind: string) => boolean;
}

/** Kinds and wildcards that a webhook may choose. */
export interface Choices {
  readonly all: readonly string[];
  /** Returns whether the text is a kind, or a wildcard that covers one. */
  readonly has: (text: string) => boolean;
  /**
   * Returns the same list for the same choice: each entry once, in the catalogue's order, and no kind beside a wildcard
   * that covers it. Wildcards stay, since they may cover later kinds.
   */
  readonly normalized: (chosen: readonly string[]) => string[];
}

/** Returns what a webhook may choose of these kinds, each wildcard before the kinds it covers. */
export function choicesAmong({ kinds, isOptIn }: ChoosableKinds): Choices {
  const choices = [...new Set([ALL, ...kinds.flatMap((kind) => [groupOf(kind), kind])])];
  return {
    all: choices,
    has: (text) => choices.includes(text),
    normalized(chosen) {
      const wildcards = chosen.filter(isWildcard);
      const isNeeded = (choice: string) =>
        isWildcard(choice) || !wildcards.some((one) => covers(one, choice, isOptIn(choice)));
      return choices.filter((choice) => chosen.includes(choice) && isNeeded(choice));
    },
  };
}

/** Returns whether this choice of a webhook covers events of the kind, also of a kind that is newer than the choice. */
export function covers(choice: string, kind: string, isOptIn: boolean): boolean {
  if (choice === kind) return true;
  if (choice === ALL) return !isOptIn;
  return choice.endsWith('.*') && kind.startsWith(choice.slice(0, -1));
}

const isWildcard = (choice: string): boolean => choice.endsWith('*');
