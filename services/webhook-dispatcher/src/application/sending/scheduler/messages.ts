import type { BatchName, Job, Rest, Result, Target } from '../../job.js';
import type { OrderedWork } from '../due-work.js';
import type { CircuitChange, LastSent } from '../ports.js';
import type { Circuit, Decided } from './queue.js';
import type { Attempt, State } from './state.js';

/** Event that the scheduler handles. */
export type Input =
  /** Jobs from Kafka, whose rows are committed. */
  | { readonly kind: 'accepted'; readonly jobs: readonly Job[] }
  /** The rows of jobs sent ahead are committed as pending; `results` are the failures among those that were decided. */
  | { readonly kind: 'stored'; readonly jobs: readonly Job[]; readonly results: readonly Result[] }
  /** Jobs sent ahead whose success is committed, or that are given up. */
  | { readonly kind: 'released'; readonly jobs: readonly Job[] }
  /** A read of what is due starts; it ends with `offerRead`. */
  | { readonly kind: 'readStarted' }
  /** The read found all that was due of these webhooks. */
  | { readonly kind: 'readAllOf'; readonly webhookIds: readonly string[] }
  /** The read left something of these webhooks, which no later read looks at by itself within a minute. */
  | { readonly kind: 'leftInTable'; readonly webhookIds: readonly string[] }
  /**
   * A read of ordered webhooks has ended: which were read, since when, and the due jobs at the head of each, in their
   * order.
   */
  | {
      readonly kind: 'orderedRead';
      readonly webhookIds: readonly string[];
      readonly startedMs: number;
      readonly work: OrderedWork;
    }
  | {
      readonly kind: 'targetsLoaded';
      readonly webhookIds: readonly string[];
      readonly targets: ReadonlyMap<string, Target>;
    }
  | { readonly kind: 'loadFailed'; readonly webhookIds: readonly string[] }
  /** Webhooks that could not be loaded before are to be loaded again. */
  | { readonly kind: 'loadAgain' }
  /** The webhook may have changed: it is loaded before anything else is sent to it. */
  | { readonly kind: 'webhookChanged'; readonly webhookId: string }
  | { readonly kind: 'circuitChanged'; readonly webhookId: string; readonly change: CircuitChange }
  /** The driver has compared a stored circuit with its breaker: the state that follows. */
  | { readonly kind: 'circuitRestored'; readonly webhookId: string; readonly circuit: Circuit }
  /** An attempt ended. `isSuspected`: a breaker counts the failures of its webhook. */
  | {
      readonly kind: 'attemptEnded';
      readonly attempt: Attempt;
      readonly result: Result;
      readonly isSuspected: boolean;
    }
  /** An attempt ended by a mistake of ours, not of the receiver. */
  | { readonly kind: 'attemptBroke'; readonly attempt: Attempt }
  | {
      readonly kind: 'written';
      readonly batch: BatchName;
      readonly results: readonly Result[];
      readonly tookMs: number;
    }
  | { readonly kind: 'writeFailed'; readonly batch: BatchName }
  | { readonly kind: 'shardLost'; readonly shard: number }
  | { readonly kind: 'ticked' }
  /** Nothing more is to be sent. */
  | { readonly kind: 'stopped' };

export type InputOf<Kind extends Input['kind']> = Extract<Input, { readonly kind: Kind }>;

/** Time and leases while an input is handled. */
export interface Moment {
  /** Milliseconds of a clock that never jumps. */
  readonly nowMs: number;
  /** Returns the epoch of the shard's lease; undefined: this replica must not send for the shard. */
  readonly epochOf: (shard: number) => string | undefined;
}

/** Work that the driver has to do. */
export type Effect =
  | { readonly kind: 'send'; readonly attempt: Attempt }
  | { readonly kind: 'write'; readonly batch: BatchName; readonly results: readonly Result[] }
  | { readonly kind: 'load'; readonly webhookIds: readonly string[] }
  /** The reader is to look for due deliveries. */
  | { readonly kind: 'read' }
  /** The other replicas are to look for due deliveries. */
  | { readonly kind: 'notify' }
  /** The caller that sent the job ahead hears what became of it. */
  | {
      readonly kind: 'decide';
      readonly decided: Decided;
      readonly result: Parameters<Decided>[0];
    }
  /** Ends what still waits for a webhook that is disabled or deleted. */
  | { readonly kind: 'endPending'; readonly webhookId: string; readonly as: 'held' | 'cancelled' }
  | {
      readonly kind: 'keepCircuit';
      readonly webhookId: string;
      readonly change: CircuitChange;
      readonly lastSent: LastSent | undefined;
    }
  | { readonly kind: 'dropCircuit'; readonly webhookId: string }
  /** `otherwise`: state of the circuit when there is nothing to restore. */
  | {
      readonly kind: 'restoreCircuit';
      readonly webhookId: string;
      readonly rest: Rest;
      readonly otherwise: Circuit;
    };

/** A step under way: the state that it changes, its moment, and the effects that it asks for. */
export interface Context extends Moment {
  readonly state: State;
  readonly effects: Effect[];
}
