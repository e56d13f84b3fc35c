import type { Job } from '../job.js';
import { knows } from './in-hand.js';
import { need } from './loading.js';
import type { Context, Of } from './messages.js';
import { isLoaded, leave, unsettle } from './phases.js';
import { policyOf } from './policies.js';
import { hasRoom, openQueue, push, type Source } from './queues.js';
import { consider } from './sending.js';
import { relearn } from './shards.js';
import type { Queue } from './state.js';

/** Takes in jobs from Kafka. Jobs that do not fit are read from the table later. */
export function accepted(context: Context, { jobs }: Of<'accepted'>): void {
  let isForOthers = false;
  for (const job of jobs) {
    const isAdmitted = admits(context, job);
    if (context.epochOf(job.shard) === undefined) isForOthers = true;
    else if (isAdmitted) offer(context, job, 'fresh');
    else leaveJob(context, job);
  }
  if (isForOthers) context.effects.push({ kind: 'notify' });
}

/** Returns whether the user's rate admits the event. An event counts once for its user, for however many webhooks. */
export function admits({ state, nowMs }: Context, { messageId, userId }: Job): boolean {
  if (state.admission?.messageId !== messageId) {
    state.admission = { messageId, isAdmitted: state.users.admit(userId, nowMs) };
  }
  return state.admission.isAdmitted;
}

/** Leaves a job to a read of the table; later jobs of its webhook must not overtake it. */
export function leaveJob(context: Context, job: Job): void {
  if (knows(context.state.inHand, job)) return;
  const queue = openQueue(context, job);
  if (queue === undefined) return;
  leave(context, queue);
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
    leave(context, queue);
    return false;
  }
  wantVersion(context, queue, job);
  const { phase } = queue;
  if (phase.kind === 'resting') {
    if (phase.target.status === 'disabled') need(state, queue.webhookId);
    else leave(context, queue);
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

/** Notes the version that the job was matched with: the job is sent with that version of the webhook or a newer one. */
function wantVersion({ state }: Context, queue: Queue, { webhookVersion }: Job): void {
  queue.wantedVersion = Math.max(queue.wantedVersion, webhookVersion);
  const { phase } = queue;
  if (phase.kind !== 'loading' && phase.target.version < queue.wantedVersion) unsettle(queue);
  if (!isLoaded(queue)) need(state, queue.webhookId);
}
