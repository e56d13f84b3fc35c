import { groupBy } from './group-by.js';
import type { History, Published, Reader, Stored, Violation } from './history.js';

type Sent = Pick<History, 'stored' | 'published' | 'readers'>;

/** Kafka has every event on every topic that stays, at least once, and the records of a key in order. */
export function* checkPublished({ stored, published, readers }: Sent): Iterable<Violation> {
  const byId = new Map(stored.map((event) => [event.eventId, event]));
  const byTopic = groupBy(published, ({ topic }) => topic);
  for (const reader of readers) {
    const records = byTopic.get(reader.topic) ?? [];
    yield* records.flatMap((record) => [...foreign(record, byId)]);
    if (reader.isRemade) continue;
    const sent = new Set(records.map(({ eventId }) => eventId));
    for (const event of stored) {
      if (sent.has(event.eventId)) continue;
      yield {
        promise: 'every stored event is published',
        found: `${reader.topic} has no record of ${event.eventId} (${event.request}, ${event.streamId}@${event.version}).`,
      };
    }
    for (const ofKey of groupBy(records, ({ key }) => key).values()) {
      yield* disordered(reader, ofKey, byId);
    }
  }
}

function* foreign(record: Published, byId: ReadonlyMap<string, Stored>): Iterable<Violation> {
  const event = byId.get(record.eventId);
  if (event?.streamId === record.key) return;
  yield {
    promise: 'a record tells of a stored event, under the key of its stream',
    found: `${at(record)} tells of ${record.eventId}, which is ${event ? `of ${event.streamId}` : 'not in the store'}.`,
  };
}

/** The first record of each event counts. Repetitions come behind it, and consumers drop them. */
function* disordered(
  { sequenced }: Reader,
  records: readonly Published[],
  byId: ReadonlyMap<string, Stored>,
): Iterable<Violation> {
  const met = new Set<string>();
  for (const record of records) {
    const version = byId.get(record.eventId)?.version;
    if (version === undefined) continue;
    const isSequenced = sequenced ? record.sequence === version : record.sequence === undefined;
    if (!isSequenced) {
      yield {
        promise: 'ce_sequence counts the records of a key on its domain topic',
        found: `${at(record)} is version ${version} of its stream and has ce_sequence ${record.sequence}.`,
      };
    }
    if (met.has(record.eventId)) continue;
    met.add(record.eventId);
    if (version === met.size) continue;
    yield {
      promise: 'the records of a key are published in the order of their versions',
      found: `${at(record)}: version ${version} comes first where version ${met.size} should.`,
    };
    return; // Later records are late by the same version.
  }
}

const at = ({ topic, partition, offset, key }: Published): string =>
  `${topic}/${partition}@${offset} (key ${key})`;
