import { groupBy } from './group-by.js';
import type { Effect, History, Published, Reader, Stored, Violation } from './history.js';

type Handled = Pick<History, 'stored' | 'published' | 'effects' | 'readers'>;

const NO_PROCESS_TWICE = 'no process handles and commits an offset of a partition twice';

/**
 * Checks that each event has one effect, after the effect of the version before it. An event may have none, or come
 * late, where the topic that had it was deleted.
 */
export function* checkEffects(history: Handled): Iterable<Violation> {
  const byConsumer = groupBy(history.effects, ({ consumer }) => consumer);
  for (const reader of history.readers) {
    const effects = byConsumer.get(reader.consumer) ?? [];
    yield* checkRecords(reader, effects, history.published);
    yield* checkEvents(reader, effects, history.stored);
    if (reader.isRemade) continue;
    yield* checkOrder(reader, effects, history.stored);
  }
}

/** A record is handled once at most, by one process; without ce_sequence nothing is dropped, so exactly once. */
function* checkRecords(
  { consumer, topic, sequenced }: Reader,
  effects: readonly Effect[],
  published: History['published'],
): Iterable<Violation> {
  const byRecord = groupBy(effects, recordOf);
  for (const [, handled] of byRecord) {
    const [first] = handled;
    if (handled.length === 1 || first === undefined) continue;
    const isBySeveral = new Set(handled.map(({ by }) => by)).size === handled.length;
    yield {
      promise: isBySeveral ? 'a record takes effect once' : NO_PROCESS_TWICE,
      found: `${consumer} handled ${topic}/${placeOf(first)} ${handled.length} times: ${handled.map(inWords).join(' and ')}.`,
    };
  }
  if (sequenced) return;
  for (const record of published) {
    if (record.topic !== topic || byRecord.has(recordOf(record))) continue;
    yield {
      promise: 'every record of a topic without ce_sequence is handled',
      found: `${consumer} never handled ${topic}/${placeOf(record)} (event ${record.eventId}, key ${record.key}).`,
    };
  }
}

function* checkEvents(
  { consumer, isRemade = false }: Reader,
  effects: readonly Effect[],
  stored: readonly Stored[],
): Iterable<Violation> {
  const byEvent = groupBy(
    effects.filter(({ fresh }) => fresh),
    ({ eventId }) => eventId,
  );
  for (const { eventId, request, streamId, version } of stored) {
    const found = byEvent.get(eventId) ?? [];
    if (found.length === 1 || (isRemade && found.length === 0)) continue;
    const which = `${eventId} of ${request} (${streamId}@${version})`;
    const times = found.length === 0 ? 'no effect' : `${found.length} effects`;
    yield {
      promise: 'every event takes effect exactly once',
      found: `${consumer}: ${which} has ${times}${found.length === 0 ? '' : `: ${found.map(inWords).join(' and ')}`}.`,
    };
  }
}

function* checkOrder(
  { consumer }: Reader,
  effects: readonly Effect[],
  stored: readonly Stored[],
): Iterable<Violation> {
  const versions = new Map(stored.map(({ eventId, version }) => [eventId, version]));
  for (const [key, ofKey] of groupBy(effects, (effect) => effect.key)) {
    let last = 0;
    for (const effect of ofKey) {
      const version = versions.get(effect.eventId);
      if (!effect.fresh || version === undefined) continue;
      if (version < last) {
        yield {
          promise: 'the effects of a key come in the order of its versions',
          found: `${consumer}: of ${key} version ${version} took effect after version ${last}: ${inWords(effect)}.`,
        };
      }
      last = version;
    }
  }
}

const placeOf = ({ partition, offset }: { partition: number; offset: number }): string =>
  `${partition}@${offset}`;

/** Topics that are made anew have other records at the same places. */
const recordOf = (record: Pick<Published, 'partition' | 'offset' | 'eventId'>): string =>
  `${placeOf(record)} ${record.eventId}`;

const inWords = ({ by, partition, offset }: Effect): string =>
  `by ${by} from ${partition}@${offset}`;
