import type { CircuitChange, LastSent } from '../circuits.js';
import type { Job, Rest, Result, Target } from '../job.js';
import type { OrderedWork } from '../ordered-work.js';
import type { Attempt, BatchName, Circuit, Decided, State } from './state.js';

/** What happened. */
export type Input =
  /** Jobs from Kafka, whose rows are committed. */
  | { readonly kind: 'accepted'; readonly jobs: readonly Job[] }
  /** A job from Kafka whose row is not written: it is taken if it can be sent at once. */
  | { readonly kind: 'offeredAhead'; readonly job: Job; readonly decided: Decided }
  /** The rows of jobs sent ahead are committed as pending; the results are of those that were decided, and failed. */
  | { readonly kind: 'filed'; readonly jobs: readonly Job[]; readonly results: readonly Result[] }
  /** Jobs sent ahead whose success is committed, or that are given up. */
  | { readonly kind: 'settled'; readonly jobs: readonly Job[] }
  /** A read of what is due begins, or is over: what it brought, and none if it failed. */
  | { readonly kind: 'readBegan' }
  | { readonly kind: 'rowsRead'; readonly jobs: readonly Job[] }
  /** The read found all that was due of these webhooks, or of all but the excepted. */
  | { readonly kind: 'readAllOf'; readonly webhookIds: readonly string[] }
  | { readonly kind: 'readAllBut'; readonly webhookIds: readonly string[] }
  /** What was asked of ordered webhooks, and the oldest of each, in their order, as far as it is due. */
  | {
      readonly kind: 'orderedRead';
      readonly asked: readonly string[];
      readonly askedMs: number;
      readonly work: OrderedWork;
    }
  | {
      readonly kind: 'targetsLoaded';
      readonly webhookIds: readonly string[];
      readonly targets: ReadonlyMap<string, Target>;
    }
  | { readonly kind: 'loadFailed'; readonly webhookIds: readonly string[] }
  /** What could not be loaded before is to be loaded again. */
  | { readonly kind: 'loadAgain' }
  /** The webhook may have changed: it is loaded before anything else is sent to it. */
  | { readonly kind: 'webhookChanged'; readonly webhookId: string }
  | { readonly kind: 'circuitChanged'; readonly webhookId: string; readonly change: CircuitChange }
  /** What became of the circuit that was to be restored. */
  | { readonly kind: 'circuitRestored'; readonly webhookId: string; readonly circuit: Circuit }
  /** `isSuspected`: a breaker counts the failures of its webhook. */
  | {
      readonly kind: 'attemptEnded';
      readonly attempt: Attempt;
      readonly result: Result;
      readonly isSuspected: boolean;
    }
  /** By a mistake of ours, not of the receiver. */
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

export type Of<Kind extends Input['kind']> = Extract<Input, { readonly kind: Kind }>;

/** What holds while an input is handled. */
export interface Moment {
  /** Milliseconds of a clock that never jumps. */
  readonly nowMs: number;
  /** The lease of the shard; undefined: this replica must not send for it. */
  readonly epochOf: (shard: number) => string | undefined;
}

/** What is to be done. */
export type Effect =
  | { readonly kind: 'send'; readonly attempt: Attempt }
  | { readonly kind: 'write'; readonly batch: BatchName; readonly results: readonly Result[] }
  | { readonly kind: 'load'; readonly webhookIds: readonly string[] }
  /** The reader is to look what is due. */
  | { readonly kind: 'read' }
  /** The other replicas are to look what is due. */
  | { readonly kind: 'notify' }
  /** Whoever sent it ahead is told what became of it. */
  | { readonly kind: 'decide'; readonly decided: Decided; readonly result: Result | undefined }
  /** Ends what still waits for a webhook that is disabled or deleted. */
  | { readonly kind: 'endPending'; readonly webhookId: string; readonly as: 'held' | 'cancelled' }
  | {
      readonly kind: 'keepCircuit';
      readonly webhookId: string;
      readonly change: CircuitChange;
      readonly lastSent: LastSent | undefined;
    }
  | { readonly kind: 'dropCircuit'; readonly webhookId: string }
  /** `otherwise`: what the circuit is if there is nothing to restore. */
  | {
      readonly kind: 'restoreCircuit';
      readonly webhookId: string;
      readonly rest: Rest;
      readonly otherwise: Circuit;
    };

/** A step under way: the state it changes, when, and what it asks for. */
export interface Context extends Moment {
  readonly state: State;
  readonly effects: Effect[];
}
