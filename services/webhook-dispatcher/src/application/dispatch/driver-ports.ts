import type { Circuits, OnCircuitChange } from './circuits.js';
import type { AttemptRecord, Job, Result, Target } from './job.js';
import type { Ended } from './judge.js';
import type { BatchName } from './scheduler/state.js';

/** Ports of the driver. */
export interface DriverPorts {
  /** Returns the epoch of the shard's lease; undefined: this replica must not send for the shard now. */
  readonly epochOf: (shard: number) => string | undefined;
  /** Sends a request. Never rejects: every way in which an attempt can end is a record. */
  readonly send: (job: Job, target: Target) => Promise<AttemptRecord>;
  readonly judge: (ended: Ended) => Result;
  /** Writes of results, by batch. Each writes all results or throws, and may be called again with the same results. */
  readonly write: Readonly<Record<BatchName, (results: readonly Result[]) => Promise<void>>>;
  readonly circuits: (onChange: OnCircuitChange) => Circuits;
  readonly onCircuitChange: OnCircuitChange;
  readonly loadTargets: (ids: readonly string[]) => Promise<ReadonlyMap<string, Target>>;
  /** Ends what still waits for a webhook that is disabled or deleted. */
  readonly settle: (webhookId: string, status: 'held' | 'cancelled') => void;
  /** Notifies that jobs are committed which another replica has to send. */
  readonly notifyOthers: () => void;
  /** Wakes the reader, since there is room again for what waits in the table. */
  readonly wakeReader: () => void;
  readonly monotonicMs: () => number;
  readonly onError: (error: unknown) => void;
}
