import type { BatchName, Job, Result, Target } from '../../job.js';
import { type InHand, newInHand } from './in-hand.js';
import {
  type ClassLimits,
  RESPONSIVE_AT_ONCE,
  RESULTS_BATCH_MAX,
  SOCKETS_MAX,
  UNRESPONSIVE_AT_ONCE,
} from './limits.js';
import type { Line, Pace } from './pace.js';
import type { Decided, Host, Queue } from './queue.js';
import { INGEST_RATE, IngestBuckets } from './token-buckets.js';
import { Turns } from './turns.js';

/** Class of an endpoint: those that answer soon, and all others. */
export type ClassName = 'responsive' | 'unresponsive';

export interface EndpointClass {
  readonly limits: ClassLimits;
  /** Attempts that may be under way at once: more while the class is short of them, fewer after one has hung. */
  limit: number;
  /** Attempts under way. */
  taken: number;
  /** Number of prompt answers, which fades over `ANSWERED_OVER_MS`. */
  answered: number;
  /** Time of the last prompt answer. */
  answeredAtMs: number;
  /** Whether the class was full while queues waited for its slots, as the last sending left it. */
  isShort: boolean;
}

/** Request that was made and is not answered. */
export interface Attempt {
  readonly queue: Queue;
  readonly job: Job;
  readonly decided: Decided | undefined;
  readonly target: Target;
  /** Epoch of the lease under which the request is sent. */
  readonly epoch: string;
  readonly startedMs: number;
  /** Value of the queue's `detached` when the attempt started. */
  readonly detached: number;
  class: ClassName;
  /** Whether the attempt takes long, or its webhook was slow when it started. */
  isSlow: boolean;
  hasEnded: boolean;
}

export const BATCHES: readonly BatchName[] = ['attempts', 'exhausted', 'refused', 'gone'];

export interface Batch {
  readonly max: number;
  waiting: Result[];
  isWriting: boolean;
  failures: number;
  /** Milliseconds that the last write took. */
  tookMs: number;
  /** Time at which the next write is due; undefined: nothing waits, or a write is on. */
  dueAtMs: number | undefined;
}

/** State of the scheduler. The pending rows are the truth, and whatever is lost here is read again. */
export interface State {
  readonly queues: Map<string, Queue>;
  readonly inHand: InHand;
  readonly classes: Record<ClassName, EndpointClass>;
  /** Number of slow attempts under way; all of them are in the unresponsive class. */
  slow: number;
  /** Queues that may send, by line. */
  readonly lines: Record<Line, Turns<Queue>>;
  /** Index of the line that gets the next slot of the unresponsive class. */
  nextLine: number;
  /** Time at which the limits of full classes adapt; undefined: none is full while a queue waits. */
  adaptAtMs: number | undefined;
  /** Number of queued jobs, by the kind of their webhooks' pace. */
  readonly queued: Record<Pace['kind'], number>;
  /** The same, with no more jobs of one webhook than that answers in a second. */
  readonly waiting: Record<Pace['kind'], number>;
  /**
   * Attempts that may still turn out to be slow, the oldest first, together with those that ended since the last look.
   */
  watched: Attempt[];
  lookAtMs: number | undefined;
  /** Queues that wait for their token buckets. */
  refilling: Queue[];
  refillAtMs: number | undefined;
  /** Hosts of the webhooks, by name. */
  readonly hosts: Map<string, Host>;
  /** Hosts for whose credit queues wait. */
  readonly holding: Set<Host>;
  releaseAtMs: number | undefined;
  readonly batches: Record<BatchName, Batch>;
  readonly loading: {
    readonly wanted: Set<string>;
    underWay: ReadonlySet<string> | undefined;
    /** Whether a load may start: not after a failed one, until another load is requested. */
    mayStart: boolean;
  };
  /** Number of the read of the table that is on, or else of the last one. */
  reads: number;
  readonly users: IngestBuckets;
  /** Event that was last counted for its user: an event counts once, for however many webhooks. */
  admission: { readonly messageId: string; readonly isAdmitted: boolean } | undefined;
  isStopped: boolean;
}

/** Returns the state at the start. `sockets`: the number that attempts may have at once. */
export const newState = (sockets = SOCKETS_MAX): State => ({
  queues: new Map(),
  inHand: newInHand(),
  classes: {
    responsive: newClass(withSockets(RESPONSIVE_AT_ONCE, sockets - UNRESPONSIVE_AT_ONCE.max)),
    unresponsive: newClass(UNRESPONSIVE_AT_ONCE),
  },
  slow: 0,
  lines: { responsive: new Turns(), slow: new Turns(), new: new Turns(), failing: new Turns() },
  nextLine: 0,
  adaptAtMs: undefined,
  queued: { new: 0, responsive: 0, slow: 0 },
  waiting: { new: 0, responsive: 0, slow: 0 },
  watched: [],
  lookAtMs: undefined,
  refilling: [],
  refillAtMs: undefined,
  hosts: new Map(),
  holding: new Set(),
  releaseAtMs: undefined,
  batches: {
    attempts: newBatch(RESULTS_BATCH_MAX),
    exhausted: newBatch(RESULTS_BATCH_MAX),
    refused: newBatch(RESULTS_BATCH_MAX),
    // Each result ends its webhook in a transaction of its own.
    gone: newBatch(1),
  },
  loading: { wanted: new Set(), underWay: undefined, mayStart: false },
  reads: 1,
  users: new IngestBuckets(INGEST_RATE),
  admission: undefined,
  isStopped: false,
});

const withSockets = (limits: ClassLimits, sockets: number): ClassLimits => ({
  ...limits,
  max: Math.max(limits.steady, Math.min(limits.max, sockets)),
});

const newClass = (limits: ClassLimits): EndpointClass => ({
  limits,
  limit: limits.start,
  taken: 0,
  answered: 0,
  answeredAtMs: 0,
  isShort: false,
});

const newBatch = (max: number): Batch => ({
  max,
  waiting: [],
  isWriting: false,
  failures: 0,
  tookMs: 0,
  dueAtMs: undefined,
});
