import type { Target } from '../../job.js';
import { nextQueue, planAdapting, startAttempt } from './classes.js';
import { freeIfProven, hold, mayContact, takeCredit } from './hosts.js';
import { start } from './in-hand.js';
import { LOW_WATERMARK, RESULTS_MAX, TICK_MS } from './limits.js';
import { loseShard } from './loading.js';
import type { Context } from './messages.js';
import { lineOf } from './pace.js';
import { policyOf } from './policies.js';
import { isAtEase, leftIn, type Queue, type Queued } from './queue.js';
import { jobsMaxOf, roomForOthers, shift } from './queues.js';
import { BATCHES, type State } from './state.js';

/** Sends what may be sent, one queue after the other, until no slot is free or no queue waits. */
export function pump(context: Context): void {
  const { state, nowMs } = context;
  while (!state.isStopped && hasRoomForResults(state)) {
    const queue = nextQueue(state);
    if (queue === undefined) break;
    const target = targetToSend(queue);
    if (target !== undefined) sendNext(context, queue, target);
  }
  planAdapting(state, nowMs);
}

/**
 * Has the queue wait for a turn if it may send, or for its token bucket or credit of its host if nothing else is in the
 * way.
 */
export function consider(context: Context, queue: Queue): void {
  const { state, nowMs } = context;
  freeIfProven(context, queue);
  if (targetToSend(queue) === undefined) return;
  const waitMs = queue.bucket?.waitMs(nowMs) ?? 0;
  if (waitMs > 0) refillIn(state, queue, nowMs + Math.max(TICK_MS, waitMs));
  else if (mayContact(queue, nowMs)) state.lines[lineOf(queue.pace)].add(queue);
  else hold(context, queue);
}

/** Considers the queues whose buckets let the next request through. */
export function refill(context: Context): void {
  const { state, nowMs } = context;
  const isDue = ({ refillAtMs = nowMs }: Queue) => refillAtMs <= nowMs;
  const due = state.refilling.filter(isDue);
  state.refilling = state.refilling.filter((queue) => !isDue(queue));
  state.refillAtMs = state.refilling.length > 0 ? soonest(state.refilling) : undefined;
  for (const queue of due) {
    queue.refillAtMs = undefined;
    consider(context, queue);
  }
}

const soonest = (queues: readonly Queue[]): number =>
  queues.reduce((ms, { refillAtMs = ms }) => Math.min(ms, refillAtMs), Number.POSITIVE_INFINITY);

function refillIn(state: State, queue: Queue, atMs: number): void {
  if (queue.refillAtMs !== undefined) return;
  queue.refillAtMs = atMs;
  state.refilling.push(queue);
  state.refillAtMs = Math.min(state.refillAtMs ?? atMs, atMs);
}

const hasRoomForResults = ({ batches }: State): boolean =>
  BATCHES.every((name) => batches[name].waiting.length < RESULTS_MAX);

/** Returns the webhook to send to; undefined: nothing may be sent to it now. */
function targetToSend(queue: Queue): Target | undefined {
  const { phase, jobs, underWay, pace } = queue;
  if (phase.kind !== 'active' && phase.kind !== 'overflowed') return undefined;
  const mayStart =
    jobs.length > 0 &&
    underWay < Math.floor(pace.limit) &&
    policyOf(queue).mayStart(queue) &&
    isAtEase(queue, underWay);
  return mayStart ? phase.target : undefined;
}

function sendNext(context: Context, queue: Queue, target: Target): void {
  const { state, effects, epochOf } = context;
  const epoch = epochOf(queue.shard);
  if (epoch === undefined) return loseShard(context, queue.shard);
  // Others of its host may have used up the credit since the queue began to wait.
  if (!mayContact(queue, context.nowMs)) return hold(context, queue);
  const queued = shift(context, queue);
  if (queued === undefined) return;
  send(context, queue, queued, { target, epoch });

  const isHalfEmpty = leftIn(queue) > 0 && queue.jobs.length === Math.floor(jobsMaxOf(queue) / 2);
  const makesRoom = queue.pace.kind !== 'responsive' && roomForOthers(state) === LOW_WATERMARK;
  if (isHalfEmpty || makesRoom) effects.push({ kind: 'read' });
  consider(context, queue);
}

function send(
  { state, effects, nowMs }: Context,
  queue: Queue,
  queued: Queued,
  { target, epoch }: { readonly target: Target; readonly epoch: string },
): void {
  queue.unwritten++;
  queue.lastSent = { kind: queued.job.kind, version: target.version };
  if (queue.circuit === 'half-open') queue.circuit = 'probing';
  queue.bucket?.take(nowMs);
  takeCredit(queue, queued.job, nowMs);
  start(state.inHand, queued);
  const attempt = startAttempt(state, queue, queued, { target, epoch, startedMs: nowMs });
  effects.push({ kind: 'send', attempt });
}
