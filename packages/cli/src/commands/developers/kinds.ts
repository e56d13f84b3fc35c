import type { JunctionClient } from '@junction/client';
import { closestMatch } from 'leven';
import type { EventType } from '../../api/answers.js';
import { type Failure, usage } from '../../failure.js';

/** Letters in which a name may differ from the one that was probably meant. */
const TYPING_ERRORS_MAX = 3;

/** Matches kinds as a webhook names them: whole, by a part (`meeting.*`), or all (`*`). */
export const isMatch = (wanted: string, kind: string): boolean =>
  wanted === '*' ||
  wanted === kind ||
  (wanted.endsWith('.*') && kind.startsWith(wanted.slice(0, -1)));

/**
 * Compares kinds and wildcards with the product's catalogue before they are used. A kind that does not exist would be
 * waited for without end.
 * @throws Failure (usage) that names the kind that was probably meant
 */
export async function checkKinds(api: JunctionClient, wanted: readonly string[]): Promise<void> {
  const { items } = await api.get('/api/webhooks/event-types');
  const unknown = wanted.find((one) => !items.some((type) => isMatch(one, type.event_type)));
  if (unknown !== undefined) throw unknownKind(unknown, items);
}

export function unknownKind(
  kind: string,
  types: readonly Pick<EventType, 'event_type'>[],
): Failure {
  const kinds = types.map((type) => type.event_type);
  const names = kind.endsWith('.*') ? kinds.map((one) => one.replace(/\..*/, '.*')) : kinds;
  const meant = closestMatch(kind, names, { maxDistance: TYPING_ERRORS_MAX });
  const suggestion = meant === undefined ? '' : ` Did you mean ${meant}?`;
  return usage(`There is no kind ${kind}.${suggestion}\nThere are ${kinds.join(', ')}.`);
}
