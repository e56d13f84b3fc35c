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

/** Callback for the result of a job that was sent ahead. Undefined: the job was let go unsent. */
export type Decided = (result: Result | undefined) => void;

/** A job in its queue. */
export interface Queued {
  readonly job: Job;
  /** Present when the job was sent ahead: before its row was written. */
  readonly decided: Decided | undefined;
}

/**
 * Phase of a queue. A queue starts in `loading` (`openQueue`), and only `phases.ts` changes its phase. Attempts that
 * are under way go on in every phase.
 * - `loading`: the webhook as it is now is not known. Entered when the webhook may have changed (`webhookChanged`),
 *   when a job was matched with a newer version than the loaded one, when the shard comes back under another lease or
 *   is lost with deliveries unwritten (`relearn`), and again when the loaded version is too old or another load was
 *   requested meanwhile. Left by a load that is current: to `resting` when the webhook is not active or its circuit is
 *   open, otherwise to `overflowed` when jobs were left to the table or the webhook has become ordered, otherwise to
 *   `active`. Meanwhile jobs may join the queue, and none is sent. A failed load changes nothing; a load that finds no
 *   webhook deletes the queue.
 * - `active`: as far as is known, the table holds no job that a fresh one would overtake; retries that wait for their
 *   time do not count. Entered from `loading`, from `overflowed` when a read has caught up (`caughtUp`), and from
 *   `resting` when the circuit is no longer open. Left to `overflowed` when a job is left to the table (`leave`):
 *   without room, beyond the rate of its user, let go before it was filed, or cut off the queue by a new pace or rate
 *   limit; of an ordered webhook also every job that no read of its head brought, and every failed one. Left to
 *   `resting` when the circuit opens, to `loading` as above. Meanwhile jobs are sent, and only in this phase are jobs
 *   taken whose rows are not written yet (`offeredAhead`).
 * - `overflowed`: the table holds jobs that fresh ones must not overtake. Entered from `active` by `leave`, and from
 *   `loading` or `resting` when `leftIn` is above 0. Left to `active` when a read has found all that was due of the
 *   webhook and no job was left since that read began; to `resting` and `loading` as above. Meanwhile jobs are sent,
 *   and only those that were read from the table join.
 * - `resting`: the webhook is paused or disabled, or its circuit is open. Entered by a load that finds one of these,
 *   and when the circuit opens. The queue is emptied when the circuit opens, when a load finds the webhook paused, and
 *   when a load finds the webhook disabled: then what waits in the table ends as held (`endPending`). Left to
 *   `overflowed` or `active` when the circuit is no longer open and the webhook is active; to `loading` as above; and
 *   by a load, which a job for a disabled webhook requests. Meanwhile nothing is sent, and no job joins.
 *
 * `leftIn` is the number of the read of the table during or after which jobs were last left to the table; 0: none is
 * there.
 */
export type Phase =
  /** Without `target` the webhook was never loaded; otherwise `target` is the webhook as it was loaded last. */
  | { readonly kind: 'loading'; readonly target: Target | undefined; readonly leftIn: number }
  | { readonly kind: 'active'; readonly target: Target }
  | { readonly kind: 'overflowed'; readonly target: Target; readonly leftIn: number }
  | { readonly kind: 'resting'; readonly target: Target; readonly leftIn: number };

/**
 * State of a webhook's circuit as the queue knows it; the breakers (`Circuits`) decide. Every state is left for
 * `unknown` when the webhook has another version or the lease changes (`dropCircuit`), and for `open` when a load
 * brings an open circuit (`restore`).
 * - `unknown`: no breaker is known of. Entered at first, and from `suspected` when an attempt ends and its webhook has
 *   no breaker any more. Left to `suspected` when an attempt ends and its webhook has a breaker, to `open` when the
 *   breaker opens. Meanwhile the circuit limits nothing, and only in this state are jobs sent ahead.
 * - `suspected`: closed, and a breaker counts failures. Entered from `unknown`, and when a circuit closes. Left to
 *   `unknown` or `open`. Meanwhile an attempt starts only while fewer than `SUSPECTED_AT_ONCE` are under way.
 * - `open`: nothing is sent. Entered when the breaker opens, and while the driver compares an open circuit that a load
 *   brought with its own breaker (`restoreCircuit`). Left to `half-open` when the rest is over, or to the state before
 *   when there is nothing to restore (`circuitRestored`).
 * - `half-open`: one attempt, the probe, may be sent. Entered when the rest is over. Left to `probing` when the probe
 *   is sent.
 * - `probing`: the probe is under way, and nothing else is sent. Left when the probe has ended: to `suspected` when the
 *   circuit closes, to `open` when the circuit opens again.
 */
export type Circuit = 'unknown' | 'suspected' | 'open' | 'half-open' | 'probing';

/** Queue of one webhook: first in, first out, without deliveries of other webhooks. */
export interface Queue {
  readonly webhookId: string;
  /** Shard of the webhook's owner, to whom all deliveries of the webhook belong. */
  readonly shard: number;
  phase: Phase;
  circuit: Circuit;
  pace: Pace;
  /** Whether an attempt failed after the last success that was written: the webhook is then among the failing ones. */
  isFailing: boolean;
  jobs: Queued[];
  /** Epoch of the lease under which a job of the queue was taken last; undefined: none was taken yet. */
  epoch: string | undefined;
  /** Oldest version of the webhook with which the queued jobs may be sent. */
  wantedVersion: number;
  /** Attempts under way that were sent to the current version of the webhook, as far as that is known. */
  underWay: number;
  /**
   * Number of times that attempts under way were detached, because they were sent to an older version of the webhook.
   */
  detached: number;
  /** Number of deliveries that were sent and are not written yet. */
  unwritten: number;
  /** Milliseconds that attempts to the webhook have taken, for its turns among the others. */
  usedMs: number;
  /** Turns in which the queue waits. Only `Turns` sets this mark. */
  waitsFor?: object | undefined;
  /** Request that was sent last. While the circuit is `probing`, that is the probe. */
  lastSent: LastSent | undefined;
  /** Time before which the oldest waiting delivery of an ordered webhook is not due, as the last read found it. */
  headDueAtMs: number;
  /** Present while the webhook has a rate limit. */
  bucket: TokenBucket | undefined;
  /** Time at which the bucket lets the next request through; undefined: no request waits for the bucket. */
  refillAtMs: number | undefined;
}

/** Class of an endpoint: those that answer soon, and all others. */
export type ClassName = 'responsive' | 'unresponsive';

export interface EndpointClass {
  readonly limits: ClassLimits;
  /** Attempts that may be under way at once: more while the class is short of them, fewer after one has hung. */
  limit: number;
  /** Attempts under way. */
  taken: number;
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
  hasEnded: boolean;
}

/**
 * Deliveries that this replica has in hand: queued, under way, or done and not yet written. No read of the table that
 * began before a delivery was finished may take up that delivery a second time.
 */
export interface InHand {
  /**
   * Ids of deliveries. A Set keeps what was removed from it until the next full garbage collection, so it holds ids and
   * no objects (decision 8).
   */
  readonly ids: Set<string>;
  /** Ids of deliveries that were sent ahead and are neither decided nor filed. */
  readonly ahead: Set<string>;
  /** Ids of deliveries that were sent ahead and given up while under way: nobody needs their results. */
  readonly givenUp: Set<string>;
  /** Number of deliveries that were sent and are not written, by shard. */
  readonly busy: number[];
  bytes: number;
  /**
   * Ids of deliveries that were finished during the current read, whose snapshot may be older; undefined: no read is
   * on.
   */
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
  /** Queues that may send, by line. */
  readonly lines: Record<Line, Turns<Queue>>;
  /** Index of the line that gets the next slot of the unresponsive class. */
  nextLine: number;
  /** Time at which full classes grow; undefined: none is full while a queue waits. */
  growAtMs: number | undefined;
  /** Number of queued jobs, by the kind of their webhooks' pace. */
  readonly queued: Record<Pace['kind'], number>;
  /**
   * Attempts that may still turn out to be slow, the oldest first, together with those that ended since the last look.
   */
  watched: Attempt[];
  lookAtMs: number | undefined;
  /** Queues that wait for their token buckets. */
  refilling: Queue[];
  refillAtMs: number | undefined;
  readonly batches: Record<BatchName, Batch>;
  readonly loading: {
    readonly wanted: Set<string>;
    underWay: ReadonlySet<string> | undefined;
    /** Whether a load may start: not after a failed one, until another load is requested. */
    mayBegin: boolean;
  };
  /** Number of the read of the table that is on, or else of the last one. */
  reads: number;
  /** Number of jobs of the last read, or of the last offer ahead, that were turned away. */
  turnedAway: number;
  readonly users: IngestBuckets;
  /** Event that was last counted for its user: an event counts once, for however many webhooks. */
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
    // Each result ends its webhook in a transaction of its own.
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
