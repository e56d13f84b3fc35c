import { backoffMs } from '@junction/async';
import type { KafkaPort, Log, PartitionControl } from '@junction/kafka';
import type pg from 'pg';
import type { DeadLetter } from '../dead-letters/dead-letter.js';
import type { DeadLetterLog } from './dead-letter-log.js';
import { callAfterCommit, type Handle, type HandleAtOnce, type Prepare } from './handle.js';
import type { InFlight } from './in-flight.js';
import { locate } from './locate.js';
import type { AssignedPartition } from './partition.js';

export interface ConsumerOptions {
  /** Pipelined pool. Its connections need a statement timeout and a connection timeout. */
  readonly pool: pg.Pool;
  readonly kafka: KafkaPort;
  readonly topicPrefix: string;
  /** The consumer's name in the tables; with the prefix, its group in Kafka. */
  readonly group: string;
  /** Topics without the prefix. All members of the group name the same topics. */
  readonly topics: readonly string[];
  /**
   * Drops records that came before, by ce_sequence (for each key) or else by ce_source and ce_id. When false, the
   * handler recognises duplicates.
   */
  readonly dropDuplicates: boolean;
  readonly handle: Handle;
  /** Handles in one statement what it can. Absent: everything is handled in transactions. */
  readonly handleAtOnce?: HandleAtOnce;
  /** Starts work on records before their transaction. Absent: no work is done before it. */
  readonly prepare?: Prepare;
  readonly log: Log;
  /** Called after the commit, to raise an alert and to wake the relay. */
  readonly onDeadLetters?: (letters: readonly DeadLetter[]) => void;
  /** Maximum records in one transaction; fewer when they take longer than 250 ms. */
  readonly batchMax?: number;
}

type Defaulted = 'onDeadLetters' | 'batchMax';
export type AssignmentOptions = Omit<ConsumerOptions, 'topics'> &
  Required<Pick<ConsumerOptions, Defaulted>>;

/** Options and state common to the partitions of an assignment. */
export interface Context extends AssignmentOptions {
  readonly control: PartitionControl;
  readonly ended: AbortSignal;
  readonly timers: Set<NodeJS.Timeout>;
  readonly said: DeadLetterLog;
}

/** Context with the records in flight, when work on records starts before they are handled. */
export interface FlightContext extends Context {
  readonly flights: InFlight;
}

/** Reports dead letters that are committed. */
export function report(
  { log, said, onDeadLetters }: Context,
  letters: readonly DeadLetter[],
): void {
  if (letters.length === 0) return;
  said.add(letters);
  callAfterCommit([() => onDeadLetters(letters)], log);
}

/** Pauses the partition and tries again later: the cause is the infrastructure, not the record. */
export function backOff(context: Context, partition: AssignedPartition, error: unknown): void {
  const { control, ended, timers, log } = context;
  partition.state = 'backing_off';
  partition.failures += 1;
  partition.failingSinceMs ??= performance.now();
  control.pause(partition.at);
  const { failures } = partition;
  log.warn({ err: error, ...partition.at, failures }, 'consumer: nothing handled; trying again');

  if (ended.aborted) return;

  const timer = setTimeout(() => {
    timers.delete(timer);
    // A write of records in flight may have made the partition seek meanwhile.
    if (partition.state !== 'backing_off') return;
    partition.state = 'running';
    control.resume(partition.at);
  }, backoffMs(failures));
  timers.add(timer);
}

/** Returns whether the partition is seeking. Call it again after a wait: the state may have changed. */
export const isSeeking = ({ state }: AssignedPartition): boolean => state === 'seeking';

/**
 * Goes on from the stored offset, once no record of the partition is in flight. Work that starts before that offset is
 * reached is refused, so one reason to seek leads to one seek.
 */
export function seekAgain(context: FlightContext, partition: AssignedPartition): void {
  if (context.ended.aborted || isSeeking(partition)) return;
  context.control.pause(partition.at);
  partition.state = 'seeking';
  partition.epoch += 1;
  void context.flights.drained(partition).then(() => locate(context, [partition]));
}
