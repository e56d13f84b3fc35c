const DAY_MS = 24 * 60 * 60 * 1_000;

/** Never change it for a live topic: the partition of a key would change, and with it its order. */
const PARTITIONS = 12;

/** Retention of what holds data in clear: long enough for a weekend's outage, short enough to forget. */
const CLEAR_MS = 3 * DAY_MS;
const DEAD_LETTERS_MS = 7 * DAY_MS;
const FOR_EVER = -1;

/** A topic as data. Never compacted: every record of it counts. */
export interface TopicSpec {
  /** Without the prefix that a test or a shared cluster puts before it. */
  readonly name: string;
  readonly partitions: number;
  /** Milliseconds; -1 keeps records for ever. */
  readonly retentionMs: number;
}

/** Where a record of this topic that cannot be handled is announced. */
export const deadLetterTopic = (name: string): string => `${name}.dlq`;

/** The name on the broker. */
export const topicName = (prefix: string, name: string): string => `${prefix}${name}`;

/**
 * Kafka deletes whole segments, once their newest record is old enough. A quiet partition fills one for
 * a week by default, and so would keep a record for ten days that is to be kept for three.
 */
const SEGMENT_MS = 6 * 60 * 60 * 1_000;

/** What Kafka is told of a topic, in its own words. */
export const topicConfig = (retentionMs: number): Readonly<Record<string, string>> => ({
  'cleanup.policy': 'delete',
  'retention.ms': String(retentionMs),
  ...(retentionMs < 0 ? {} : { 'segment.ms': String(Math.min(SEGMENT_MS, retentionMs)) }),
});

const withDeadLetters = (spec: TopicSpec): readonly TopicSpec[] => [
  spec,
  { ...spec, name: deadLetterTopic(spec.name), retentionMs: DEAD_LETTERS_MS },
];

/** Any producer may write it; the data are delivered to receivers byte for byte. */
const events = (name: string): TopicSpec => ({
  name,
  partitions: PARTITIONS,
  retentionMs: CLEAR_MS,
});

/** The public domain events of one service: `ce_sequence` counts them for each aggregate. */
const domain = (name: string): TopicSpec => ({
  name,
  partitions: PARTITIONS,
  retentionMs: FOR_EVER,
});

/** Every topic of the product, each followed by its dead-letter topic. */
export const TOPICS: readonly TopicSpec[] = [
  events('assistant.events.v1'),
  events('user.events.v1'),
  domain('auth.events.v1'),
  domain('integrations.events.v1'),
  domain('webhooks.events.v1'),
].flatMap(withDeadLetters);
