import type { TopicPartition } from '@junction/kafka';
import type { BegunRecord } from './handle.js';

const FAILING_MAX_MS = 10_000;

/**
 * `seeking`: its stored offset is being looked up. `backing_off`: the surroundings failed; it tries
 * again soon. `offset_lost`: the stored offset is outside the log, so records may be missing, and
 * an operator has to say where to go on.
 */
export type PartitionState = 'seeking' | 'running' | 'backing_off' | 'offset_lost';

export interface PartitionStatus {
  /** Without the prefix. */
  readonly topic: string;
  readonly partition: number;
  readonly state: PartitionState;
  /** The stored offset. */
  readonly offset: bigint;
  /** Records behind the end of the log as last seen. */
  readonly lag: bigint;
}

/** What a consumer knows of a partition it was assigned. */
export interface AssignedPartition {
  /** As on the broker. */
  readonly at: TopicPartition;
  state: PartitionState;
  /** Counts its seeks: what was begun before the last one is refused. */
  epoch: number;
  /** The offset in the table. */
  stored: bigint;
  /** Where the next fetch begins: `stored`, or behind markers that hold nothing to handle. */
  position: bigint;
  /** Nothing was fetched since the seek, so a fetch may begin at any later offset. */
  justSought: boolean;
  /** The end of the log at the assignment: behind it everything is new. */
  caughtUpAt: bigint | undefined;
  /** The end of the log when last seen. */
  end: bigint;
  batchSize: number;
  failures: number;
  /** Monotonic milliseconds; undefined while it runs. */
  failingSinceMs: number | undefined;
  /** A batch is being taken. */
  busy: boolean;
  /** The last write of a skipped position; the next batch waits for it. */
  skipping: Promise<void>;
  /** Records whose work has begun and whose effect is not written, in the order of the log. */
  readonly inFlight: Begun[];
}

/** A record whose work has begun, with the stored offset before and after it. */
export interface Begun {
  readonly record: BegunRecord;
  readonly from: bigint;
  readonly to: bigint;
  /** False at first. */
  isReady: boolean;
}

export const assignedPartition = (at: TopicPartition, batchSize: number): AssignedPartition => ({
  at,
  state: 'seeking',
  epoch: 0,
  stored: 0n,
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

/** Neither lost, nor failing for ten seconds. `nowMs`: monotonic milliseconds. */
export function isHealthy(
  { state, failingSinceMs }: Pick<AssignedPartition, 'state' | 'failingSinceMs'>,
  nowMs: number,
): boolean {
  if (state === 'offset_lost') return false;
  return failingSinceMs === undefined || nowMs - failingSinceMs < FAILING_MAX_MS;
}

export const isCaughtUp = ({ caughtUpAt, position, inFlight }: AssignedPartition): boolean =>
  caughtUpAt !== undefined && position >= caughtUpAt && inFlight.length === 0;
