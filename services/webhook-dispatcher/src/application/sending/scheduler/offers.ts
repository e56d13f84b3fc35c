import type { Job, Target } from '../../job.js';
import { knows } from './in-hand.js';
import { need, relearn } from './loading.js';
import type { Context, InputOf } from './messages.js';
import { LIMIT_MAX } from './pace.js';
import { policyOf } from './policies.js';
import {
  becomeLoading,
  isDisabled,
  isLoaded,
  leftIn,
  overflow,
  type Queue,
  type Queued,
  targetOf,
} from './queue.js';
import { hasRoom, openQueue, push, removeJobs, type Source } from './queues.js';
import { consider } from './sending.js';
import { finished, pushResult } from './writing.js';

/** Takes in jobs from Kafka. Jobs that do not fit are read from the table later. */
export function accepted(context: Context, { jobs }: InputOf<'accepted'>): void {
  let isForOthers = false;
  for (const job of jobs) {
    const isAdmitted = admits(context, job);
    if (context.epochOf(job.shard) === undefined) isForOthers = true;
    else if (isAdmitted) offer(context, job, 'fresh');
    else deferToTable(context, job);
  }
  if (isForOthers) context.effects.push({ kind: 'notify' });
}

/** Returns whether the user's rate admits the event. An event counts once for its user, for however many webhooks. */
function admits({ state, nowMs }: Context, { messageId, userId }: Job): boolean {
  if (state.admission?.messageId !== messageId) {
    state.admission = { messageId, isAdmitted: state.users.admit(userId, nowMs) };
  }
  return state.admission.isAdmitted;
}

/** Leaves a job to a read of the table; later jobs of its webhook must not overtake it. */
function deferToTable(context: Context, job: Job): void {
  if (knows(context.state.inHand, job)) return;
  const queue = openQueue(context, job);
  if (queue === undefined) return;
  overflow(context.state, queue);
  context.effects.push({ kind: 'read' });
}

/** Offers a job to its queue. Returns whether the queue took it. */
export function offer(context: Context, job: Job, source: Source): boolean {
  const { state } = context;
  const queue = takingQueue(context, job);
  if (queue === undefined) return false;
  const policy = policyOf(queue);
  if (!policy.takes(queue, source)) {
    wantVersion(context, queue, job);
    policy.turnedAway(context, queue);
    return false;
  }
  if (!hasRoom(state, queue, job, source)) {
    overflow(state, queue);
    return false;
  }
  wantVersion(context, queue, job);
  if (queue.phase.kind === 'resting') {
    if (!isDisabled(queue)) overflow(state, queue);
    return false;
  }
  push(context, queue, { job, decided: undefined });
  consider(context, queue);
  return true;
}

/** Returns the queue of a job that is not in hand and may be sent by this replica. */
function takingQueue(context: Context, job: Job): Queue | undefined {
  const epoch = context.epochOf(job.shard);
  if (epoch === undefined || knows(context.state.inHand, job)) return undefined;
  const queue = openQueue(context, job);
  if (queue === undefined) return undefined;
  if (queue.epoch !== undefined && queue.epoch !== epoch) relearn(context, queue);
  queue.epoch = epoch;
  return queue;
}

/**
 * Notes the version that the job was matched with: the job is sent with that version of the webhook or a newer one. A
 * webhook that is disabled is loaded again, since its load ends what was filed as pending meanwhile.
 */
function wantVersion({ state }: Context, queue: Queue, { webhookVersion }: Job): void {
  queue.wantedVersion = Math.max(queue.wantedVersion, webhookVersion);
  const { phase } = queue;
  if (phase.kind !== 'loading' && phase.target.version < queue.wantedVersion) becomeLoading(queue);
  if (!isLoaded(queue) || isDisabled(queue)) need(state, queue.webhookId);
}

/** Takes a job whose row is not written, if nothing that is known keeps it from being sent soon. */
export function takeAhead(context: Context, queued: Queued): boolean {
  const { job } = queued;
  if (context.state.isStopped) return false;
  const queue = takingQueue(context, job);
  if (queue === undefined || !maySendAhead(context, queue, job)) return false;
  if (!admits(context, job)) return false;
  wantVersion(context, queue, job);
  push(context, queue, queued);
  consider(context, queue);
  return true;
}

/**
 * Returns whether a job may be sent before it is stored: not when it may have to wait for longer than the load of its
 * webhook, nor behind many others of a webhook that was never tried.
 */
function maySendAhead({ state }: Context, queue: Queue, job: Job): boolean {
  const { pace, circuit, isFailing, jobs, underWay } = queue;
  const { status = 'active', ordered = false, rateLimit } = targetOf(queue) ?? UNKNOWN;
  return (
    status === 'active' &&
    !ordered &&
    rateLimit === undefined &&
    leftIn(queue) === 0 &&
    circuit === 'unknown' &&
    !isFailing &&
    pace.kind !== 'slow' &&
    (pace.kind === 'responsive' || jobs.length + underWay < LIMIT_MAX) &&
    hasRoom(state, queue, job, 'fresh')
  );
}

const UNKNOWN: Partial<Target> = {};

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
