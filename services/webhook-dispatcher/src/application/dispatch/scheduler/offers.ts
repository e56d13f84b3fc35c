import type { Job } from '../job.js';
import { knows } from './in-hand.js';
import { need, relearn } from './loading.js';
import type { Context, InputOf } from './messages.js';
import { policyOf } from './policies.js';
import { becomeLoading, isLoaded, overflow, type Queue } from './queue.js';
import { hasRoom, openQueue, push, type Source } from './queues.js';
import { consider } from './sending.js';

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
export function admits({ state, nowMs }: Context, { messageId, userId }: Job): boolean {
  if (state.admission?.messageId !== messageId) {
    state.admission = { messageId, isAdmitted: state.users.admit(userId, nowMs) };
  }
  return state.admission.isAdmitted;
}

/** Leaves a job to a read of the table; later jobs of its webhook must not overtake it. */
export function deferToTable(context: Context, job: Job): void {
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
    overflow(context.state, queue);
    return false;
  }
  wantVersion(context, queue, job);
  const { phase } = queue;
  if (phase.kind === 'resting') {
    if (phase.target.status === 'disabled') need(state, queue.webhookId);
    else overflow(context.state, queue);
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
  if (phase.kind !== 'loading' && phase.target.version < queue.wantedVersion) becomeLoading(queue);
  if (!isLoaded(queue)) need(state, queue.webhookId);
}
