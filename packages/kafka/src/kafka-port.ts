import type { TopicSpec } from './topics.js';

/** A record to be written. The same key always lands in the same partition (murmur2, as in Java). */
export interface OutRecord {
  /** The full name on the broker. */
  readonly topic: string;
  readonly key: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly value: Buffer;
}

/** A record as it was found. Anybody may have written it: nothing in it is checked yet. */
export interface InboundRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: bigint;
  readonly key: string | null;
  /** Of a header that is there twice, the first. */
  readonly headers: Readonly<Record<string, string>>;
  readonly value: Buffer | null;
  readonly timestamp: Date;
  /**
   * Says why nobody can read the batch that this record stands for, alone and without what was in it: it is damaged, of
   * an unknown format, or would fill the memory. `offset` is the last one of the batch.
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
  readonly low: bigint;
  readonly high: bigint;
}

/** A topic as the cluster has it. */
export interface DescribedTopic {
  /** The full name on the broker. */
  readonly name: string;
  readonly partitions: number;
  /** Of the partition that has fewest, and how many of those are in sync. */
  readonly replicas: number;
  readonly inSync: number;
  /** Partitions without a leader: they can be neither read nor written. */
  readonly leaderless: number;
  /** By their names; undefined: this user may not look at settings. */
  readonly settings: Readonly<Record<string, string>> | undefined;
}

export interface AdminPort {
  /** Creates what is missing and returns those names; what exists is left as it is. */
  ensureTopics(specs: readonly TopicSpec[], prefix?: string): Promise<readonly string[]>;
  deleteTopics(names: readonly string[]): Promise<void>;
  /** Of these, those that the cluster has, as far as this user may look at them. */
  describeTopics(names: readonly string[]): Promise<readonly DescribedTopic[]>;
  /** By partition. Rejects when there is no such topic. */
  logBounds(topic: string): Promise<ReadonlyMap<number, LogBounds>>;
  /** By partition, the offset of the first record from then on; the end of the log without one. */
  offsetsAt(topic: string, time: Date): Promise<ReadonlyMap<number, bigint>>;
}

export interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

/** Steers one assignment. After the next assignment, or the end, its calls do nothing. */
export interface PartitionControl {
  seek(at: TopicPartition, offset: bigint): void;
  pause(at: TopicPartition): void;
  resume(at: TopicPartition): void;
}

/** What one fetch brought for one partition. */
export interface FetchedBatch extends TopicPartition {
  /** Where this fetch began. Not always the first record's offset: transactions leave gaps. */
  readonly fetchedOffset: bigint;
  /** The last offset this fetch covers, markers and aborted records included. */
  readonly lastOffset: bigint;
  /** The end of the log when it was fetched. */
  readonly highWatermark: bigint;
  readonly records: readonly InboundRecord[];
  /** The next fetch starts after this record; after the last one, behind `lastOffset`. Does nothing once another assignment came. */
  resolve(offset: bigint): void;
  /** Stays in the group, and shows that the batch makes progress. Rejects when the group rebalances: let the rejection pass. */
  heartbeat(): Promise<void>;
  /** False once the consumer stops, another assignment came, or this partition was told to seek. */
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
  /** Full names. All members of a group must name the same: the assignor spreads what its leader knows. */
  readonly topics: readonly string[];
  /** Partitions handled at the same time. */
  readonly concurrency: number;
  /** After this long without a fetch or a heartbeat of a batch, a new consumer is made. 45 s. */
  readonly silenceMaxMs?: number;
  /** Called with every assignment, its partitions paused. Seek and resume them, now or later. */
  onAssigned(partitions: readonly TopicPartition[], control: PartitionControl): void;
  /** One at a time for a partition. Offsets are never committed to Kafka. */
  onBatch(batch: FetchedBatch): Promise<void>;
  onSkipped(batch: SkippedBatch): void;
}

/** A consumer that is made anew whenever it dies, until it is stopped. */
export interface Subscription {
  /** In the group, and not silent for too long. */
  healthy(): boolean;
  /** Resolves when no batch is being handled any more. */
  stop(): Promise<void>;
}

/** All that the product asks of Kafka, so that one package knows which client answers. */
export interface KafkaPort {
  admin(): AdminPort;
  /** Resolves after the first try to connect, whether it succeeded or not, or after a second. */
  producer(): Promise<ProducerPort>;
  runConsumer(options: ConsumeOptions): Subscription;
}
