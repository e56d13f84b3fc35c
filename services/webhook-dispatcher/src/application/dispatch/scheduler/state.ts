import type { LastSent } from '../circuits.js';
import type { Job, Result, Target } from '../job.js';
import { INGEST_RATE, IngestBuckets } from './ingest-buckets.js';
import {
  type ClassLimits,
  RESPONSIVE_AT_ONCE,
  RESULTS_BATCH_MAX,
  UNRESPONSIVE_AT_ONCE,
} from './limits.js';
import type { Line, Pace } from './pace.js';
import type { TokenBucket } from './token-bucket.js';
import { Turns } from './turns.js';

/** Told what became of a job that was sent ahead; undefined: it was not sent. */
export type Decided = (result: Result | undefined) => void;

/** A job in its queue. */
export interface Queued {
  readonly job: Job;
  /** Present when it was sent ahead: taken in before its row was written. */
  readonly decided: Decided | undefined;
}

/**
 * Where a queue stands. `leftIn` is the number of the read during which jobs of it were last left to the table; 0: the
 * table has none but those in hand. An active queue has none there by definition.
 */
export type Phase =
  /** The webhook is not known as it is: jobs wait. `target`: as it was known before. */
  | { readonly kind: 'loading'; readonly target: Target | undefined; readonly leftIn: number }
  | { readonly kind: 'active'; readonly target: Target }
  /** The table holds jobs that fresh ones must not overtake. */
  | { readonly kind: 'overflowed'; readonly target: Target; readonly leftIn: number }
  /** Paused, disabled, or its circuit is open: jobs wait in the table. */
  | { readonly kind: 'resting'; readonly target: Target; readonly leftIn: number };

/** What is known of the circuit. `suspected`: closed, and failures are counted. `probing`: half open, a probe is out. */
export type Circuit = 'unknown' | 'suspected' | 'open' | 'half-open' | 'probing';

/** The queue of one webhook: first in, first out, and nobody else's deliveries behind it. */
export interface Queue {
  readonly webhookId: string;
  /** All deliveries of a webhook are its owner's, and so of one shard. */
  readonly shard: number;
  phase: Phase;
  circuit: Circuit;
  pace: Pace;
  /** An attempt failed, and no success was written as a result since: the table has the webhook among the failing. */
  isFailing: boolean;
  jobs: Queued[];
  /** Of the lease under which jobs of it were taken last; undefined: none was yet. */
  epoch: string | undefined;
  /** The oldest version of the webhook that the queued jobs may be sent with. */
  wantedVersion: number;
  /** Attempts that wait for the answer of the webhook as it is. */
  underWay: number;
  /** Grows when those that are under way are detached: they asked an older version of the webhook. */
  detached: number;
  /** Sent, and not yet written. */
  unwritten: number;
  /** What its attempts have taken, for its turns among the others. */
  usedMs: number;
  /** The turns it waits for: a mark that only `Turns` sets. */
  waitsFor?: object | undefined;
  /** Of a half-open circuit that is its probe. */
  lastSent: LastSent | undefined;
  /** Time before which the oldest that waits in the table for an ordered webhook is not due, as far as was read. */
  headDueAtMs: number;
  /** Present while the webhook has a rate limit. */
  bucket: TokenBucket | undefined;
  /** When the bucket lets the next go; undefined: nothing waits for that. */
  refillAtMs: number | undefined;
}

/** The endpoints that answer soon, and all others. */
export type ClassName = 'responsive' | 'unresponsive';

export interface EndpointClass {
  readonly limits: ClassLimits;
  /** Attempts at once, for now. */
  limit: number;
  /** Attempts under way. */
  taken: number;
}

/** A request that was made and is not answered. */
export interface Attempt {
  readonly queue: Queue;
  readonly job: Job;
  readonly decided: Decided | undefined;
  readonly target: Target;
  /** Of the lease that it is sent under. */
  readonly epoch: string;
  readonly startedMs: number;
  /** `detached` of its queue, when it began. */
  readonly detached: number;
  class: ClassName;
  hasEnded: boolean;
}

/**
 * Which deliveries this replica has in hand: queued, under way, or done and not yet written. None of them may be taken
 * up a second time from a read of the table that began before they were finished.
 */
export interface InHand {
  /** Ids alone: what a Set has let go of stays until the next full collection of garbage (decision 8). */
  readonly ids: Set<string>;
  /** Sent ahead, and neither decided nor filed. */
  readonly ahead: Set<string>;
  /** Sent ahead, and given up while under way: their ends are of no use. */
  readonly givenUp: Set<string>;
  /** By shard: how many were sent and are not written. */
  readonly busy: number[];
  bytes: number;
  /** Finished while a read is on: the read's snapshot may be older than that. */
  finished: Set<string> | undefined;
}

/** Results that are written by one kind of statement. */
export type BatchName = 'attempts' | 'exhausted' | 'refused' | 'gone';

export const BATCHES: readonly BatchName[] = ['attempts', 'exhausted', 'refused', 'gone'];

export interface Batch {
  readonly max: number;
  waiting: Result[];
  isWriting: boolean;
  failures: number;
  /** How long the last write took. */
  tookMs: number;
  /** When the next write is due; undefined: nothing waits, or a write is on. */
  dueAtMs: number | undefined;
}

/** All that the scheduler knows. The pending rows are the truth, and whatever is lost here is read again. */
export interface State {
  readonly queues: Map<string, Queue>;
  readonly inHand: InHand;
  readonly classes: Record<ClassName, EndpointClass>;
  /** Queues that may send. */
  readonly lines: Record<Line, Turns<Queue>>;
  /** The line that gets the next place of the unresponsive class. */
  nextLine: number;
  /** When classes that are full grow; undefined: none is. */
  growAtMs: number | undefined;
  /** Jobs that are queued, by what their webhooks have shown of themselves. */
  readonly queued: Record<Pace['kind'], number>;
  /** Attempts that may yet show that they take long, the oldest first, and those that ended since the last look. */
  watched: Attempt[];
  lookAtMs: number | undefined;
  /** Queues that wait for their token buckets. */
  refilling: Queue[];
  refillAtMs: number | undefined;
  readonly batches: Record<BatchName, Batch>;
  readonly loading: {
    readonly wanted: Set<string>;
    underWay: ReadonlySet<string> | undefined;
    /** A load may begin: not after one failed, until somebody asks again. */
    mayBegin: boolean;
  };
  /** The number of the read of the table that is on, or was the last. */
  reads: number;
  /** Of the jobs that came last, how many were turned away. */
  turnedAway: number;
  readonly users: IngestBuckets;
  /** The event that was last counted for its user: one event counts once, for however many webhooks. */
  admission: { readonly messageId: string; readonly isAdmitted: boolean } | undefined;
  isStopped: boolean;
}

export const newState = (): State => ({
  queues: new Map(),
  inHand: {
    ids: new Set(),
    ahead: new Set(),
    givenUp: new Set(),
    busy: [],
    bytes: 0,
    finished: undefined,
  },
  classes: {
    responsive: newClass(RESPONSIVE_AT_ONCE),
    unresponsive: newClass(UNRESPONSIVE_AT_ONCE),
  },
  lines: { responsive: new Turns(), slow: new Turns(), new: new Turns(), failing: new Turns() },
  nextLine: 0,
  growAtMs: undefined,
  queued: { new: 0, responsive: 0, slow: 0 },
  watched: [],
  lookAtMs: undefined,
  refilling: [],
  refillAtMs: undefined,
  batches: {
    attempts: newBatch(RESULTS_BATCH_MAX),
    exhausted: newBatch(RESULTS_BATCH_MAX),
    refused: newBatch(RESULTS_BATCH_MAX),
    // Each ends its webhook in a transaction of its own.
    gone: newBatch(1),
  },
  loading: { wanted: new Set(), underWay: undefined, mayBegin: false },
  reads: 1,
  turnedAway: 0,
  users: new IngestBuckets(INGEST_RATE),
  admission: undefined,
  isStopped: false,
});

const newClass = (limits: ClassLimits): EndpointClass => ({
  limits,
  limit: limits.start,
  taken: 0,
});

const newBatch = (max: number): Batch => ({
  max,
  waiting: [],
  isWriting: false,
  failures: 0,
  tookMs: 0,
  dueAtMs: undefined,
});
