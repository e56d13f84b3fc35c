import { isThrottling } from './classes.js';
import { beginRead, endRead } from './in-hand.js';
import { READY_BELOW_JOBS } from './limits.js';
import type { Context, Moment, Of } from './messages.js';
import { offer } from './offers.js';
import { isOrderedAndIdle } from './ordered.js';
import { caughtUp, isResting, targetOf } from './phases.js';
import { policyOf } from './policies.js';
import { jobsMaxOf } from './queues.js';
import type { Queue, State } from './state.js';

export function readBegan({ state }: Context): void {
  state.reads++;
  beginRead(state.inHand);
}

export function rowsRead(context: Context, { jobs }: Of<'rowsRead'>): void {
  const { state } = context;
  const open = endRead(state.inHand, jobs);
  state.turnedAway = open.filter((job) => !offer(context, job, 'due')).length;
}

export function readAllOf({ state }: Context, { webhookIds }: Of<'readAllOf'>): void {
  for (const id of webhookIds) {
    const queue = state.queues.get(id);
    if (queue !== undefined) caughtUp(state, queue);
  }
}

export function readAllBut({ state }: Context, { webhookIds }: Of<'readAllBut'>): void {
  const except = new Set(webhookIds);
  for (const queue of state.queues.values()) {
    if (!except.has(queue.webhookId)) caughtUp(state, queue);
  }
}

export function orderedRead(context: Context, { asked, askedMs, work }: Of<'orderedRead'>): void {
  const { state, nowMs } = context;
  for (const webhookId of asked) {
    const queue = state.queues.get(webhookId);
    if (queue === undefined || !isOrderedAndIdle(queue)) continue;
    const head = work.get(webhookId);
    // The read may be older than a change that came after it was requested.
    if (queue.headDueAtMs < askedMs) queue.headDueAtMs = nowMs + (head?.waitMs ?? 0);
    if (head === undefined) caughtUp(state, queue);
    // The first job without room stops the rest, which must not overtake it.
    head?.jobs.every((job) => offer(context, job, 'ordered'));
  }
}

/**
 * Returns the ordered webhooks that have nothing in hand here and something in the table. As nothing can come between,
 * a read of them finds the head of what waits.
 */
export const orderedWaiting = (state: State, { nowMs, epochOf }: Moment): readonly string[] =>
  idsOf(
    state,
    (queue) =>
      isOrderedAndIdle(queue) && queue.headDueAtMs <= nowMs && epochOf(queue.shard) !== undefined,
  );

/** Returns the webhooks whose jobs would only be turned away. */
export const blocked = (state: State): readonly string[] => idsOf(state, isBlocked);

/** Returns the responsive webhooks that have room, however little is left for the others. */
export const quick = (state: State): readonly string[] =>
  idsOf(state, (queue) => queue.pace.kind === 'responsive' && !isBlocked(queue));

/** Returns all webhooks that have a queue here, with the version that is known of each; 0: not loaded yet. */
export const known = ({ queues }: State): ReadonlyMap<string, number> =>
  new Map([...queues.values()].map((queue) => [queue.webhookId, targetOf(queue)?.version ?? 0]));

/**
 * Returns whether more jobs may be taken in. Jobs of slow webhooks, queued or under way, hold nobody up; nor do jobs of
 * new webhooks while the unresponsive class is full.
 */
export function isReady(state: State): boolean {
  const { inHand, queued, classes } = state;
  const throttled = isThrottling(state) ? queued.new : 0;
  return inHand.ids.size - queued.slow - throttled - classes.unresponsive.taken < READY_BELOW_JOBS;
}

const isBlocked = (queue: Queue): boolean =>
  queue.jobs.length >= jobsMaxOf(queue) || isResting(queue) || policyOf(queue).isReadApart(queue);

const idsOf = ({ queues }: State, which: (queue: Queue) => boolean): readonly string[] =>
  [...queues.values()].filter(which).map(({ webhookId }) => webhookId);
