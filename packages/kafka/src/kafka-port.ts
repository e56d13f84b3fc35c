import type { TopicSpec } from './topics.js';

/** A record to be written. The same key always lands in the same partition (murmur2, as in Java). */
export interface OutRecord {
  /** The full name on the broker. */
  readonly topic: string;
  readonly key: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly value: Buffer;
}

/** A record as it was read. Anybody may have written it, and nothing in it is checked yet. */
export interface InboundRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: bigint;
  readonly key: string | null;
  /** Headers by name. A repeated header has its first value. */
  readonly headers: Readonly<Record<string, string>>;
  readonly value: Buffer | null;
  readonly timestamp: Date;
  /**
   * Reason why the batch that this record stands for cannot be read: the batch is damaged, of an unknown format, or
   * would fill the memory. Nothing of its content is in the record; `offset` is the last one of the batch.
   */
  readonly undecodable?: string;
}

export interface ProducerPort {
  /**
   * Resolves when all in-sync replicas have all records. After a rejection some may have been
   * written all the same. The connection is made and remade as needed.
   */
  sendBatch(records: readonly OutRecord[]): Promise<void>;
  close(): Promise<void>;
}

/** Offsets of a partition: `low` is the first that is kept, `high` the one the next record gets. */
export interface LogBounds {
  /**
   * Id of the topic (KIP-516), as Kafka's tools print it: offsets count in the log of this id alone. Undefined before
   * Kafka 3.1.
   */
  readonly topicId: string | undefined;
  readonly low: bigint;
  readonly high: bigint;
  /** First record from the time on that was asked for; `high` when there is none. */
  readonly inTime?: bigint | undefined;
}

/** A topic as the cluster has it. */
export interface DescribedTopic {
  /** The full name on the broker. */
  readonly name: string;
  readonly partitions: number;
  /** Replicas of the partition that has fewest, and how many of those are in sync. */
  readonly replicas: number;
  readonly inSync: number;
  /** Partitions without a leader: they can be neither read nor written. */
  readonly leaderless: number;
  /** Operations that this user may carry out. */
  readonly rights: readonly TopicOperation[];
  /** Settings by name; undefined without the right to DescribeConfigs. */
  readonly settings: Readonly<Record<string, string>> | undefined;
}

/** Operation on a topic, in the words of Kafka's ACLs. */
export type TopicOperation = 'Read' | 'Write' | 'DescribeConfigs';

export interface DescribedTopics {
  readonly topics: readonly DescribedTopic[];
  /** Topics that this user may not describe, whether they exist or not. */
  readonly hidden: readonly string[];
}

export interface AdminPort {
  /** Creates missing topics and returns their names; existing topics are left as they are. */
  ensureTopics(specs: readonly TopicSpec[], prefix?: string): Promise<readonly string[]>;
  /** Resolves once brokers know none of these topics any more. */
  deleteTopics(names: readonly string[]): Promise<void>;
  /** Describes those of these topics that the cluster has, as far as this user may see them. Needs Kafka 2.3. */
  describeTopics(names: readonly string[]): Promise<DescribedTopics>;
  /** Returns the bounds by partition, all of one topic id. Rejects when there is no such topic. */
  logBounds(topic: string, time?: Date): Promise<ReadonlyMap<number, LogBounds>>;
}

export interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

/** Steers one assignment. After the next assignment, or the end, its calls do nothing. */
export interface PartitionControl {
  /**
   * Fetches from this offset on. With a topic id no record of another topic of that name is ever fetched: once the
   * topic is made anew the partitions are assigned anew.
   */
  seek(at: TopicPartition, offset: bigint, topicId?: string): void;
  pause(at: TopicPartition): void;
  resume(at: TopicPartition): void;
}

/** Records that one fetch brought for one partition. */
export interface FetchedBatch extends TopicPartition {
  /** Id of the topic that the records are of. Undefined when the fetch named none. */
  readonly topicId: string | undefined;
  /** Offset at which this fetch began. Not always the first record's offset: transactions leave gaps. */
  readonly fetchedOffset: bigint;
  /** The last offset this fetch covers, markers and aborted records included. */
  readonly lastOffset: bigint;
  /** End of the log at the time of the fetch. */
  readonly highWatermark: bigint;
  readonly records: readonly InboundRecord[];
  /**
   * Moves the next fetch behind this record; after the last record, behind `lastOffset`. Does nothing once another
   * assignment came.
   */
  resolve(offset: bigint): void;
  /**
   * Keeps the membership, and shows that the batch makes progress. Rejects when the group rebalances: let the rejection
   * propagate.
   */
  heartbeat(): Promise<void>;
  /** Returns false once the consumer stops, another assignment came, or this partition was made to seek. */
  isActive(): boolean;
}

/** A fetch that held nothing to handle: transaction markers, or records of an aborted transaction. */
export interface SkippedBatch extends TopicPartition {
  /** Absent when all that was fetched lay before the position. */
  readonly firstOffset: bigint | undefined;
  readonly lastOffset: bigint;
}

export interface ConsumeOptions {
  readonly group: string;
  /** Full names. All members of a group must name the same topics: the assignor spreads those that its leader knows. */
  readonly topics: readonly string[];
  /** Partitions handled at the same time. */
  readonly concurrency: number;
  /** Milliseconds without a fetch or a heartbeat of a batch after which a new consumer is made. Default 45 s. */
  readonly silenceMaxMs?: number;
  /**
   * Called with every assignment, its partitions paused. Seek and resume them, now or later. Returns the function that
   * ends the assignment, if anything is to be finished: it is awaited while no batch is being handled, before the group
   * may assign the partitions to another member. It must not reject, and may be called again.
   */
  onAssigned(
    partitions: readonly TopicPartition[],
    control: PartitionControl,
  ): void | (() => Promise<void>);
  /** Called with one batch at a time for each partition. Offsets are never committed to Kafka. */
  onBatch(batch: FetchedBatch): Promise<void>;
  onSkipped(batch: SkippedBatch): void;
}

/** A consumer that is made anew whenever it dies, until it is stopped. */
export interface Subscription {
  /** Returns whether the consumer is in the group, and not silent for too long. */
  healthy(): boolean;
  /** Resolves when no batch is being handled any more. */
  stop(): Promise<void>;
}

/** Asks the cluster for the metadata of a topic. Ask again only after the answer. */
export interface ClusterProbe {
  /** Resolves when a broker has answered, whatever the answer says. Rejects when none did, within a minute. */
  ask(): Promise<void>;
  close(): Promise<void>;
}

/** Everything that the product needs of Kafka, so that one package knows which client answers. */
export interface KafkaPort {
  admin(): AdminPort;
  /** Resolves after the first try to connect, whether it succeeded or not, or after a second. */
  producer(): Promise<ProducerPort>;
  runConsumer(options: ConsumeOptions): Subscription;
  /** `topic`: the full name of one that this user may describe. Connects only when first asked. */
  probe(topic: string): ClusterProbe;
}
