import { type Event, jsonCodec, schema } from '@junction/eventsourcing';
import {
  type OutboxMessage,
  type PublishPlace,
  type RowProjection,
  rowProjection,
} from '@junction/eventsourcing/postgres';
import { deadLetterTopic, type TopicSpec } from '@junction/messaging';
import { z } from 'zod';
import type { Reader } from './check/history.js';
import { type Count, counted } from './count.js';
import { TOPIC } from './schedule.js';

/** The event of this domain: a request stores one for each event that it asks for. */
export type CountEvent = Event<'counted', { request: string; place: number; amount: number }>;

const data = z.strictObject({ request: z.string(), place: z.int(), amount: z.int() });

export const countCodec = jsonCodec<CountEvent>({ counted: schema(data.parse) });

export const SOURCE = 'junction/chaos';

/** A domain topic, and one like those that any producer may write. */
const COUNTS = 'chaos.counts.v1';
const NOTICES = 'chaos.notices.v1';

/** Fewer than the product has: each costs the broker files. */
const PARTITIONS = 4;

export const CHAOS_TOPICS: readonly TopicSpec[] = [
  { name: COUNTS, partitions: PARTITIONS, retentionMs: -1 },
  { name: NOTICES, partitions: PARTITIONS, retentionMs: -1 },
  { name: TOPIC, partitions: PARTITIONS, retentionMs: -1 },
];

/** No dead letter is to be announced. If one is, it holds up nothing: there would be more to explain. */
export const DEAD_LETTER_TOPICS: readonly TopicSpec[] = CHAOS_TOPICS.map(({ name }) => {
  return { name: deadLetterTopic(name), partitions: 1, retentionMs: -1 };
});

/** The consumers, each with its topic. */
export const READERS: readonly Reader[] = [
  { consumer: 'counts', topic: COUNTS, sequenced: true, isAhead: false },
  { consumer: 'notices', topic: NOTICES, sequenced: false, isAhead: false },
  { consumer: 'begun', topic: NOTICES, sequenced: false, isAhead: true },
  { consumer: 'anew', topic: TOPIC, sequenced: false, isAhead: true, isRemade: true },
];

const PUBLISHED = [
  { topic: COUNTS, sequenced: true },
  { topic: NOTICES, sequenced: false },
  { topic: TOPIC, sequenced: false },
];

/** Every event goes to all topics, under the key of its stream. */
export const publishCounted = (
  { type, data }: CountEvent,
  { streamId }: PublishPlace,
): readonly OutboxMessage[] =>
  PUBLISHED.map(({ topic, sequenced }) => ({
    topic,
    key: streamId,
    type,
    payload: Buffer.from(JSON.stringify(data)),
    sequenced,
  }));

/** Streams that all writers write, and streams that one writer has for itself. */
export const SHARED = 'shared';
export const OWN = 'own';

/** Written with the append. */
export const inlineCounts: RowProjection<CountEvent> = rowProjection<Count, CountEvent>({
  table: 'counts_inline',
  key: 'id',
  aggregate: OWN,
  evolve: (row, { data }, { version }) => counted(row, data, version),
});
