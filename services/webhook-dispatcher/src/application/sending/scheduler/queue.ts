import type { Job, Result, Target } from '../../job.js';
import type { CircuitChange, LastSent } from '../ports.js';
import { SUSPECTED_AT_ONCE } from './limits.js';
import { NEW_PACE, type Pace } from './pace.js';
import type { TokenBucket } from './token-buckets.js';
import type { Turns } from './turns.js';

/**
 * Callback of a job that was sent ahead: its result, or that it was removed unsent. Before either, that the answer is
 * late, so that the job should be stored meanwhile.
 */
export type Decided = (result: Result | 'removed' | 'late') => void;

/** A job in its queue. */
export interface Queued {
  readonly job: Job;
  /** Present when the job was sent ahead: before its row was written. */
  readonly decided: Decided | undefined;
}

/**
 * Phase of a queue. A queue starts in `loading` (`openQueue`), and only this file changes its phase. Attempts that
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
 *   `resting` when the circuit is no longer open. Left to `overflowed` when a job is left to the table (`overflow`):
 *   without room, beyond the rate of its user, removed before it was stored, cut off the queue by a new pace or rate
 *   limit, or without credit of its host (`hold`); of an ordered webhook also every job that no read of its head
 *   brought, and every failed one. Left to `resting` when the circuit opens, to `loading` as above. Meanwhile jobs are
 *   sent, and only in this phase are jobs taken whose rows are not written yet (`takeAhead`).
 * - `overflowed`: the table holds jobs that fresh ones must not overtake. Entered from `active` by `overflow`, and from
 *   `loading` or `resting` when `leftIn` is above 0. Left to `active` when a read has found all that was due of the
 *   webhook and no job was left since that read began; to `resting` and `loading` as above. Meanwhile jobs are sent,
 *   and only those that were read from the table join; while the queue is held (`isHeld`), none is.
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

/** Host of the urls of webhooks, whoever owns them. */
export interface Host {
  readonly name: string;
  /** Requests that may go to those of its webhooks that did not answer 2xx last. */
  readonly credit: TokenBucket;
  /** Queues that wait for credit. Their jobs are left to the table. */
  readonly held: Turns<Queue>;
}

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
  /** Host of the loaded url; undefined: the webhook was never loaded. */
  host: Host | undefined;
  /** Credit of the host that the next request needs, as far as is known. */
  neededCredit: number;
  /** Whether that credit is set aside for it. */
  hasCredit: boolean;
}

export const newQueue = (webhookId: string, shard: number): Queue => ({
  webhookId,
  shard,
  phase: { kind: 'loading', target: undefined, leftIn: 0 },
  circuit: 'unknown',
  pace: NEW_PACE,
  isFailing: false,
  jobs: [],
  epoch: undefined,
  wantedVersion: 0,
  underWay: 0,
  detached: 0,
  unwritten: 0,
  usedMs: 0,
  waitsFor: undefined,
  lastSent: undefined,
  headDueAtMs: 0,
  bucket: undefined,
  refillAtMs: undefined,
  host: undefined,
  neededCredit: 1,
  hasCredit: false,
});

/** Returns the webhook as it was loaded last. */
export const targetOf = ({ phase }: Queue): Target | undefined => phase.target;

/** Returns the number of the read during or after which jobs were last left to the table; 0: none waits there. */
export const leftIn = ({ phase }: Queue): number => (phase.kind === 'active' ? 0 : phase.leftIn);

export const isLoaded = ({ phase }: Queue): boolean => phase.kind !== 'loading';

export const isDisabled = ({ phase }: Queue): boolean => phase.target?.status === 'disabled';

/** Returns whether the queue waits for credit of its host. */
export const isHeld = ({ host, waitsFor }: Queue): boolean =>
  host !== undefined && waitsFor === host.held;

/** Returns whether jobs wait in the table until the webhook is resumed or its circuit lets a probe through. */
export const isResting = (queue: Queue): boolean =>
  queue.phase.kind === 'resting' && !isDisabled(queue);

/** Number of the read of the table that is on, or else of the last one. */
interface Reads {
  readonly reads: number;
}

/** Notes that jobs of the webhook wait in the table: later ones must not overtake them. */
export function overflow({ reads }: Reads, queue: Queue): void {
  const { phase } = queue;
  queue.phase =
    phase.kind === 'active'
      ? { kind: 'overflowed', target: phase.target, leftIn: reads }
      : { ...phase, leftIn: reads };
}

/** Notes that a read found all that was due of the webhook, unless more was left to the table since the read began. */
export function caughtUp({ reads }: Reads, queue: Queue): void {
  const { phase } = queue;
  if (phase.kind === 'active' || phase.leftIn >= reads) return;
  queue.phase =
    phase.kind === 'overflowed'
      ? { kind: 'active', target: phase.target }
      : { ...phase, leftIn: 0 };
}

/** Has the webhook loaded before anything else is sent to it. */
export function becomeLoading(queue: Queue): void {
  queue.phase = { kind: 'loading', target: targetOf(queue), leftIn: leftIn(queue) };
}

/** Takes in the webhook as a load found it. */
export function becomeKnown(queue: Queue, target: Target): void {
  queue.phase = phaseOf(target, queue.circuit === 'open', leftIn(queue));
}

/** Follows a circuit that opened or did not stay open. While the webhook is loading, its load decides. */
export function followCircuit(queue: Queue): void {
  const { phase } = queue;
  if (phase.kind !== 'loading') becomeKnown(queue, phase.target);
}

function phaseOf(target: Target, isOpen: boolean, left: number): Phase {
  if (target.status !== 'active' || isOpen) return { kind: 'resting', target, leftIn: left };
  return left > 0 ? { kind: 'overflowed', target, leftIn: left } : { kind: 'active', target };
}

/** Returns whether the circuit lets one more attempt through while `underWay` others are under way. */
export function isAtEase({ circuit }: Queue, underWay: number): boolean {
  switch (circuit) {
    case 'unknown':
      return true;
    case 'suspected':
      return underWay < SUSPECTED_AT_ONCE;
    case 'half-open':
      return true;
    case 'open':
    case 'probing':
      return false;
  }
}

/** Returns the state that a change leads to. A closed circuit keeps its breaker, which goes on counting. */
export const circuitAfter = ({ to }: CircuitChange): Circuit =>
  to === 'closed' ? 'suspected' : to;

/** Returns the state after an attempt that changed nothing: only then is it seen whether the webhook has a breaker. */
export const seenAs = (circuit: Circuit, isSuspected: boolean): Circuit =>
  circuit === 'unknown' || circuit === 'suspected'
    ? isSuspected
      ? 'suspected'
      : 'unknown'
    : circuit;
