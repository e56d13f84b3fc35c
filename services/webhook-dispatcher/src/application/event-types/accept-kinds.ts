import { type EventCatalogue, isEventKind } from '@junction/contracts';
import { breaksOf, isSame, type KindDefinition } from '../../domain/event-types/additions.js';
import { choicesAmong } from '../../domain/webhook/chosen-kinds.js';
import type { KindHistory, NamedChoice } from './ports.js';

/**
 * Takes over the kinds that the platform has added. A definition that was accepted once is accepted again, so that an
 * earlier release can come back. @throws Error that names every kind which is not what receivers were told, or which is
 * gone although webhooks name it
 */
export async function acceptKinds(history: KindHistory, catalogue: EventCatalogue): Promise<void> {
  const accepted = await history.definitions();
  const mistakes = (await goneButNamed(history, accepted.keys(), catalogue)).map(goneInWords);
  const news: [kind: string, version: number, definition: KindDefinition][] = [];
  for (const { kind, isNotice, isOptIn: optIn, schema } of catalogue.entries) {
    if (isNotice || isEventKind(kind)) continue;
    const definition = { optIn, schema };
    const former = accepted.get(kind) ?? [];
    if (former.some((one) => isSame(one, definition))) continue;
    const newest = former.at(-1);
    const breaks = newest === undefined ? [] : breaksOf(newest, definition);
    if (breaks.length > 0) mistakes.push(brokenInWords(kind, breaks));
    news.push([kind, former.length + 1, definition]);
  }
  if (mistakes.length > 0) throw new Error(`EVENT_TYPES_FILE:\n  ${mistakes.join('\n  ')}`);
  for (const one of news) await history.add(...one);
}

/** Returns the choices of webhooks that would no longer be any. */
async function goneButNamed(
  history: KindHistory,
  accepted: Iterable<string>,
  { kinds, isOptIn }: EventCatalogue,
): Promise<readonly NamedChoice[]> {
  const { has } = choicesAmong({ kinds, isOptIn });
  const before = choicesAmong({ kinds: [...accepted], isOptIn }).all;
  const gone = before.filter((choice) => !has(choice));
  return gone.length === 0 ? [] : history.named(gone);
}

const goneInWords = ({ choice, webhooks, some }: NamedChoice): string =>
  `${choice} is in the file no longer, but ${webhooks === 1 ? '1 webhook names' : `${webhooks} webhooks name`} it: ${some.join(', ')}${webhooks > some.length ? ' …' : ''}. Put it back until none does.`;

const brokenInWords = (kind: string, breaks: readonly string[]): string =>
  `${kind} is not what receivers were told: ${breaks.join('; ')}. Only properties that may be absent can be added. Put the former definition back, and give what differs a kind of its own.`;
