import leven from 'leven';

const SUGGESTED =
  /(?<=unknown (?:command|option) '(?<typed>[^']*)')\n\(Did you mean (?:one of )?(?<names>.+)\?\)/;

/** Removes from a message of Commander the suggestions that are far from what was typed: it takes `list` for `test`. */
export function withNearSuggestions(message: string): string {
  const { typed = '', names = '' } = SUGGESTED.exec(message)?.groups ?? {};
  const near = names.split(', ').filter((name) => isNear(typed, name));
  const list = near.length > 1 ? `one of ${near.join(', ')}` : near[0];
  return message.replace(SUGGESTED, list === undefined ? '' : `\n(Did you mean ${list}?)`);
}

/** Returns whether a name begins with a word, differs from it in a third of the letters, or only in their order. */
function isNear(typed: string, name: string): boolean {
  const [one, other] = [typed, name].map((word) => word.replace(/^--/, '')) as [string, string];
  const isWithin = 3 * leven(one, other) <= Math.max(one.length, other.length);
  return isWithin || other.startsWith(one) || sorted(one) === sorted(other);
}

const sorted = (word: string): string => Array.from(word).sort().join('');
