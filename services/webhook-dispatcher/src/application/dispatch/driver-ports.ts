import type { Circuits, OnCircuitChange } from './circuits.js';
import type { AttemptRecord, Job, Result, Target } from './job.js';
import type { Ended } from './judge.js';
import type { BatchName } from './scheduler/state.js';

/** What the driver of the scheduler needs of the outside. */
export interface DriverPorts {
  /** Undefined: this replica must not send for the shard now. */
  readonly epochOf: (shard: number) => string | undefined;
  /** Never rejects: every way an attempt can end is a record. */
  readonly send: (job: Job, target: Target) => Promise<AttemptRecord>;
  readonly judge: (ended: Ended) => Result;
  /** Each writes all or throws, and may be called again with the same results. */
  readonly write: Readonly<Record<BatchName, (results: readonly Result[]) => Promise<void>>>;
  readonly circuits: (onChange: OnCircuitChange) => Circuits;
  readonly onCircuitChange: OnCircuitChange;
  readonly loadTargets: (ids: readonly string[]) => Promise<ReadonlyMap<string, Target>>;
  /** Ends what still waits for a webhook that is disabled or deleted. */
  readonly settle: (webhookId: string, status: 'held' | 'cancelled') => void;
  /** Jobs are committed that another replica is to send. */
  readonly notifyOthers: () => void;
  /** There is room again for what waits in the table. */
  readonly wakeReader: () => void;
  readonly monotonicMs: () => number;
  readonly onError: (error: unknown) => void;
}
