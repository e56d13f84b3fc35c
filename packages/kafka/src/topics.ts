const DAY_MS = 24 * 60 * 60 * 1_000;

/**
 * Number of partitions. Never change it for a live topic: the partition of a key would change, and with it the order of
 * its records.
 */
const PARTITIONS = 12;

/** Retention of topics with data in clear: long enough for a weekend's outage, short enough to forget. */
const CLEAR_MS = 3 * DAY_MS;
const DEAD_LETTERS_MS = 7 * DAY_MS;
const FOR_EVER = -1;

/** A topic as data. Topics are never compacted, because every record counts. */
export interface TopicSpec {
  /** Name without the prefix that a test or a shared cluster puts before it. */
  readonly name: string;
  readonly partitions: number;
  /** Retention in milliseconds; -1 keeps records for ever. */
  readonly retentionMs: number;
}

/** Returns the topic that announces the dead letters of this one. */
export const deadLetterTopic = (name: string): string => `${name}.dlq`;

/** Returns the name on the broker. */
export const topicName = (prefix: string, name: string): string => `${prefix}${name}`;

/**
 * Longest span of a segment. Kafka deletes whole segments, once their newest record is old enough. By default a quiet
 * partition fills a segment for a week, and so would keep a record for ten days that is to be kept for three.
 */
const SEGMENT_MS = 6 * 60 * 60 * 1_000;

/** Returns the settings of a topic, by Kafka's names. */
export const topicConfig = (retentionMs: number): Readonly<Record<string, string>> => ({
  'cleanup.policy': 'delete',
  'retention.ms': String(retentionMs),
  ...(retentionMs < 0 ? {} : { 'segment.ms': String(Math.min(SEGMENT_MS, retentionMs)) }),
});

const withDeadLetters = (spec: TopicSpec): readonly TopicSpec[] => [
  spec,
  { ...spec, name: deadLetterTopic(spec.name), retentionMs: DEAD_LETTERS_MS },
];

/** A topic that any producer may write; its data is delivered to receivers byte for byte. */
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
