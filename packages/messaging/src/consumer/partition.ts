import type { TopicPartition } from '@junction/kafka';
import type { PreparedRecord } from './handle.js';

const FAILING_MAX_MS = 10_000;

/**
 * State of a partition. `seeking`: its stored offset is being looked up. `backing_off`: the infrastructure failed, and
 * the partition tries again soon. `offset_lost`: the stored offset is outside the log, or of another one, so records
 * may be missing, and an operator has to say where to go on.
 */
export type PartitionState = 'seeking' | 'running' | 'backing_off' | 'offset_lost';

export interface PartitionStatus {
  /** Topic without the prefix. */
  readonly topic: string;
  readonly partition: number;
  readonly state: PartitionState;
  /** The stored offset. */
  readonly offset: bigint;
  /** Number of records up to the end of the log as last seen. */
  readonly lag: bigint;
}

/** State of a partition that a consumer was assigned. */
export interface AssignedPartition {
  /** Topic and partition as on the broker. */
  readonly at: TopicPartition;
  state: PartitionState;
  /** Number of seeks so far: work that started before the last seek is refused. */
  epoch: number;
  /** The offset in the table. */
  stored: bigint;
  /** Id in the table of the topic that the offset counts in. */
  topicId: string | undefined;
  /** Offset at which the next fetch begins: `stored`, or behind markers that hold nothing to handle. */
  position: bigint;
  /** True when nothing was fetched since the seek, so that a fetch may begin at any later offset. */
  justSought: boolean;
  /** End of the log at the assignment: everything behind it is new. */
  caughtUpAt: bigint | undefined;
  /** End of the log when last seen. */
  end: bigint;
  batchSize: number;
  failures: number;
  /** Monotonic milliseconds since which the partition fails; undefined while it runs. */
  failingSinceMs: number | undefined;
  /** True while a batch is being taken. */
  busy: boolean;
  /** The last write of a skipped position; the next batch waits for it. */
  skipping: Promise<void>;
  /** Records whose work has started and whose effect is not written, in the order of the log. */
  readonly inFlight: FlightRecord[];
}

/** A record whose work has started, with the stored offset before and after it. */
export interface FlightRecord {
  readonly record: PreparedRecord;
  readonly from: bigint;
  readonly to: bigint;
  /** True once the record may be handled. */
  isReady: boolean;
}

export const assignedPartition = (at: TopicPartition, batchSize: number): AssignedPartition => ({
  at,
  state: 'seeking',
  epoch: 0,
  stored: 0n,
  topicId: undefined,
  position: 0n,
  justSought: false,
  caughtUpAt: undefined,
  end: 0n,
  batchSize,
  failures: 0,
  failingSinceMs: performance.now(),
  busy: false,
  skipping: Promise.resolve(),
  inFlight: [],
});

export const partitionKey = ({ topic, partition }: TopicPartition): string =>
  `${topic}/${partition}`;

/**
 * Returns whether the partition is neither lost nor has failed for ten seconds. `nowMs` is in monotonic milliseconds.
 */
export function isHealthy(
  { state, failingSinceMs }: Pick<AssignedPartition, 'state' | 'failingSinceMs'>,
  nowMs: number,
): boolean {
  if (state === 'offset_lost') return false;
  return failingSinceMs === undefined || nowMs - failingSinceMs < FAILING_MAX_MS;
}

export const isCaughtUp = ({ caughtUpAt, position, inFlight }: AssignedPartition): boolean =>
  caughtUpAt !== undefined && position >= caughtUpAt && inFlight.length === 0;
