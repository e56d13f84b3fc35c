import type { Job } from '../../job.js';
import { add, hasRoomFor, removeUnsent } from './in-hand.js';
import {
  EVICTION_TRIES_MAX,
  KEPT_FOR_DUE,
  QUEUE_JOBS_MAX,
  QUEUES_MAX,
  SLOW_QUEUE_JOBS_MAX,
  UNRESPONSIVE_JOBS_MAX,
} from './limits.js';
import type { Context } from './messages.js';
import { answeredInASecond, lineOf, type Pace } from './pace.js';
import { isHeld, leftIn, newQueue, type Queue, type Queued, targetOf } from './queue.js';
import type { State } from './state.js';

/** Origin of a job: Kafka (`fresh`), a read of all that is due, or a read of one ordered webhook. */
export type Source = 'fresh' | 'due' | 'ordered';

/**
 * Returns how many jobs the queue may hold. A webhook with a rate limit has no more in memory than a second may send.
 */
export const jobsMaxOf = ({ pace, bucket }: Queue): number => {
  const max = pace.kind === 'slow' ? SLOW_QUEUE_JOBS_MAX : QUEUE_JOBS_MAX;
  return bucket === undefined ? max : Math.min(max, Math.ceil(bucket.perS));
};

/** Returns how many more jobs of webhooks that are not responsive fit in. */
export const roomForOthers = ({ queued }: State): number =>
  // Webhooks that were responsive a moment ago may have more jobs queued than the maximum.
  Math.max(0, UNRESPONSIVE_JOBS_MAX - queued.new - queued.slow);

export function hasRoom(state: State, queue: Queue, job: Job, source: Source): boolean {
  if (queue.jobs.length >= jobsMaxOf(queue) || !hasRoomFor(state.inHand, job)) return false;
  const kept = source === 'fresh' ? KEPT_FOR_DUE : 0;
  return queue.pace.kind === 'responsive' || roomForOthers(state) > kept;
}

/**
 * Returns the queue of the webhook; undefined when the replica has too many queues and none of those tried is quiet.
 */
export function openQueue(context: Context, { webhookId, shard }: Job): Queue | undefined {
  const { queues, loading } = context.state;
  const existing = queues.get(webhookId);
  if (existing !== undefined) return existing;
  if (queues.size >= QUEUES_MAX && !evict(context)) return undefined;
  const queue = newQueue(webhookId, shard);
  queues.set(webhookId, queue);
  // A load under way was requested for an earlier queue. A change since then was told to no queue.
  if (loading.underWay?.has(webhookId)) loading.wanted.add(webhookId);
  return queue;
}

/** Deletes a queue with its breaker. A stored open circuit comes back when the queue does. */
export function deleteQueue({ state, effects }: Context, queue: Queue): void {
  const { webhookId } = queue;
  leaveTurns(state, queue);
  state.queues.delete(webhookId);
  effects.push({ kind: 'dropCircuit', webhookId });
}

function evict(context: Context): boolean {
  const { queues } = context.state;
  let tries = 0;
  for (const queue of queues.values()) {
    if (isQuiet(queue)) {
      deleteQueue(context, queue);
      return true;
    }
    queues.delete(queue.webhookId);
    // Moved to the end, so that the next search does not try the same queues.
    queues.set(queue.webhookId, queue);
    if (++tries === EVICTION_TRIES_MAX) return false;
  }
  return false;
}

/**
 * Returns whether the queue can be evicted: nothing of it is in hand, and its rows will be read again. A queue that has
 * left jobs to the table is kept, since fresh jobs would overtake those, unless its webhook is slow, ordered, paused or
 * held.
 */
function isQuiet(queue: Queue): boolean {
  const isIdle = queue.jobs.length === 0 && queue.underWay === 0 && queue.unwritten === 0;
  if (!isIdle || queue.pace.kind === 'slow' || leftIn(queue) === 0) return isIdle;
  const { ordered, status } = targetOf(queue) ?? {};
  return ordered === true || status === 'paused' || isHeld(queue);
}

/** Puts a job at the end of the queue; a live one before all that a replay sends. */
export function push({ state }: Context, queue: Queue, queued: Queued): void {
  add(state.inHand, queued);
  const { jobs } = queue;
  // Replays are at the end, so most queues are not searched.
  const isFirst = queued.job.isReplay !== true && jobs.at(-1)?.job.isReplay === true;
  const at = isFirst ? jobs.findIndex(({ job }) => job.isReplay) : jobs.length;
  jobs.splice(at, 0, queued);
  count(state, queue, queue.jobs.length - 1);
}

/** Takes out the oldest job, which stays in hand. */
export function shift({ state }: Context, queue: Queue): Queued | undefined {
  const queued = queue.jobs.shift();
  if (queued !== undefined) count(state, queue, queue.jobs.length + 1);
  return queued;
}

/** Removes all queued jobs, and leaves the turns. Returns whether there were any jobs. */
export function clear(context: Context, queue: Queue): boolean {
  leaveTurns(context.state, queue);
  return removeJobs(context, queue, () => true);
}

/** Removes the jobs behind the first `length`, which the table has or will have. Returns whether there were any. */
export function truncate(context: Context, queue: Queue, length: number): boolean {
  if (queue.jobs.length <= length) return false;
  const kept = new Set(queue.jobs.slice(0, length));
  return removeJobs(context, queue, (queued) => !kept.has(queued));
}

/** Removes some queued jobs, and notifies the callers that sent one ahead. Returns whether there were any. */
export function removeJobs(
  { state, effects }: Context,
  queue: Queue,
  which: (queued: Queued) => boolean,
): boolean {
  const gone = queue.jobs.filter(which);
  if (gone.length === 0) return false;
  const before = queue.jobs.length;
  queue.jobs = queue.jobs.filter((queued) => !which(queued));
  count(state, queue, before);
  for (const queued of gone) {
    const isAwaited = removeUnsent(state.inHand, queued);
    const { decided } = queued;
    if (isAwaited && decided) effects.push({ kind: 'decide', decided, result: 'removed' });
  }
  return true;
}

/** Sets the pace, and leaves the turns of the old line. The queue enters the new line when it is added again. */
export function moveTo(state: State, queue: Queue, pace: Pace): void {
  leaveTurns(state, queue);
  changePace(state, queue, pace);
}

/** Sets the pace, and counts the jobs of the queue by it. */
export function changePace(state: State, queue: Queue, pace: Pace): void {
  const { jobs } = queue;
  queue.jobs = NO_JOBS;
  count(state, queue, jobs.length);
  queue.pace = pace;
  queue.jobs = jobs;
  count(state, queue, 0);
}

const NO_JOBS: Queued[] = [];

/** Counts the jobs of a queue that had `before` of them. */
function count({ queued, waiting }: State, { jobs, pace }: Queue, before: number): void {
  const most = answeredInASecond(pace);
  queued[pace.kind] += jobs.length - before;
  waiting[pace.kind] += Math.min(jobs.length, most) - Math.min(before, most);
}

/** Takes the queue out of its turns, until it is added again. */
export function leaveTurns({ lines }: State, queue: Queue): void {
  lines[lineOf(queue.pace)].delete(queue);
  queue.host?.held.delete(queue);
}
