import type { Job } from '../job.js';
import { knows } from './in-hand.js';
import type { Context, InputOf } from './messages.js';
import { admits, deferToTable } from './offers.js';
import type { Queue, Queued } from './queue.js';
import { hasRoom, push, removeJobs } from './queues.js';
import { consider } from './sending.js';
import { finished, push as pushResult } from './writing.js';

/** Takes a job whose row is not written, if nothing that is known keeps it from being sent at once. */
export function takeAhead(context: Context, queued: Queued): boolean {
  const { job } = queued;
  const queue = context.state.queues.get(job.webhookId);
  if (queue === undefined || !maySendAhead(context, queue, job)) return false;
  if (!admits(context, job)) return false;
  push(context, queue, queued);
  consider(context, queue);
  return true;
}

/**
 * Returns whether a job may be sent before it is stored: not when it may have to wait, and not under another lease,
 * since the webhook has to be loaded anew then.
 */
function maySendAhead({ state, epochOf }: Context, queue: Queue, job: Job): boolean {
  const { phase, epoch, pace, circuit, isFailing } = queue;
  if (phase.kind !== 'active' || phase.target.version < job.webhookVersion) return false;
  const { ordered = false, rateLimit } = phase.target;
  return (
    !state.isStopped &&
    epoch !== undefined &&
    epochOf(job.shard) === epoch &&
    !knows(state.inHand, job) &&
    !ordered &&
    rateLimit === undefined &&
    pace.kind === 'responsive' &&
    circuit === 'unknown' &&
    !isFailing &&
    hasRoom(state, queue, job, 'fresh')
  );
}

/**
 * Treats jobs whose rows are stored as pending like any other from here on. A job that was removed meanwhile is left to
 * the table.
 */
export function stored(context: Context, { jobs, results }: InputOf<'stored'>): void {
  const { inHand } = context.state;
  let isForOthers = false;
  for (const job of jobs) {
    if (inHand.ahead.delete(job.deliveryId) || knows(inHand, job)) continue;
    if (context.epochOf(job.shard) === undefined) isForOthers = true;
    else deferToTable(context, job);
  }
  for (const result of results) pushResult(context, result);
  if (isForOthers) context.effects.push({ kind: 'notify' });
}

/**
 * Drops jobs from what is in hand. A job that is given up under way stays in hand until it ends, so that it is not sent
 * twice at once.
 */
export function released(context: Context, { jobs }: InputOf<'released'>): void {
  const { queues, inHand } = context.state;
  for (const job of jobs) {
    const { deliveryId, webhookId } = job;
    if (!inHand.ahead.delete(deliveryId)) {
      if (knows(inHand, job) && !inHand.givenUp.has(deliveryId)) finished(context, job);
      continue;
    }
    const queue = queues.get(webhookId);
    const isQueued =
      queue !== undefined && removeJobs(context, queue, (one) => one.job.deliveryId === deliveryId);
    if (!isQueued) inHand.givenUp.add(deliveryId);
  }
}

/** Sends nothing more: jobs that were sent ahead and still wait are removed, and their callers store them. */
export function stopped(context: Context): void {
  const { state } = context;
  state.isStopped = true;
  const { ahead } = state.inHand;
  for (const queue of state.queues.values()) {
    removeJobs(context, queue, ({ job }) => ahead.has(job.deliveryId));
  }
}
