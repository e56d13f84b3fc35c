import type { Job } from '../../job.js';
import { isThrottling } from './classes.js';
import { endRead, startRead } from './in-hand.js';
import { READY_BELOW_IN_HAND, READY_BELOW_JOBS } from './limits.js';
import type { Context, InputOf, Moment } from './messages.js';
import { offer } from './offers.js';
import { isOrderedAndIdle, policyOf } from './policies.js';
import { caughtUp, isHeld, isResting, leftIn, overflow, type Queue, targetOf } from './queue.js';
import { jobsMaxOf } from './queues.js';
import type { State } from './state.js';

export function readStarted({ state }: Context): void {
  state.reads++;
  startRead(state.inHand);
}

/** Ends a read. Returns how many of its jobs no queue took. */
export function takeRead(context: Context, jobs: readonly Job[]): number {
  const open = endRead(context.state.inHand, jobs);
  return open.filter((job) => !offer(context, job, 'due')).length;
}

export function readAllOf({ state }: Context, { webhookIds }: InputOf<'readAllOf'>): void {
  for (const id of webhookIds) {
    const queue = state.queues.get(id);
    if (queue !== undefined) caughtUp(state, queue);
  }
}

export function leftInTable({ state }: Context, { webhookIds }: InputOf<'leftInTable'>): void {
  for (const id of webhookIds) {
    const queue = state.queues.get(id);
    if (queue !== undefined) overflow(state, queue);
  }
}

export function orderedRead(
  context: Context,
  { webhookIds, startedMs, work }: InputOf<'orderedRead'>,
): void {
  const { state, nowMs } = context;
  for (const webhookId of webhookIds) {
    const queue = state.queues.get(webhookId);
    if (queue === undefined || !isOrderedAndIdle(queue)) continue;
    const head = work.get(webhookId);
    // The read may be older than a change that came after it was requested.
    if (queue.headDueAtMs < startedMs) queue.headDueAtMs = nowMs + (head?.waitMs ?? 0);
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

/** Returns the webhooks that have left something to the table, and room for half as much as they may hold. */
export const overflowed = (state: State, { epochOf }: Moment): readonly string[] =>
  idsOf(
    state,
    (queue) =>
      leftIn(queue) > 0 &&
      !isBlocked(queue) &&
      queue.jobs.length <= jobsMaxOf(queue) / 2 &&
      epochOf(queue.shard) !== undefined,
  );

/** Returns all webhooks that have a queue here, with the version that is known of each; 0: not loaded yet. */
export const known = ({ queues }: State): ReadonlyMap<string, number> =>
  new Map([...queues.values()].map((queue) => [queue.webhookId, targetOf(queue)?.version ?? 0]));

/**
 * Returns whether more jobs may be taken in: while no more wait than are soon answered, and not too many are in hand. A
 * webhook counts with no more jobs than it answers in a second, so that the backlog of one holds up no other. Jobs of
 * slow webhooks, queued or under way, hold nobody up; nor do jobs of new webhooks while most of the unresponsive class
 * is slow.
 */
export function isReady(state: State): boolean {
  const { inHand, queued, waiting, classes } = state;
  const { responsive, unresponsive } = classes;
  const isHeldUp = isThrottling(state);
  const soon = Math.max(READY_BELOW_JOBS, responsive.answered + unresponsive.answered);
  const others = queued.slow + (isHeldUp ? queued.new : 0) + unresponsive.taken;
  return (
    waiting.responsive + (isHeldUp ? 0 : waiting.new) < soon &&
    inHand.ids.size - others < READY_BELOW_IN_HAND
  );
}

const isBlocked = (queue: Queue): boolean =>
  queue.jobs.length >= jobsMaxOf(queue) ||
  isResting(queue) ||
  isHeld(queue) ||
  policyOf(queue).isReadApart(queue);

const idsOf = ({ queues }: State, which: (queue: Queue) => boolean): readonly string[] =>
  [...queues.values()].filter(which).map(({ webhookId }) => webhookId);
