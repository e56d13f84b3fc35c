import type { Rest, Target } from '../../job.js';
import { setPace } from './attempts.js';
import { detach } from './classes.js';
import { joinHost } from './hosts.js';
import { change, dropCircuit, endLoad, want } from './loading.js';
import type { Context, InputOf } from './messages.js';
import { FAILING_PACE, NEW_PACE } from './pace.js';
import { ordered, readAnew } from './policies.js';
import {
  becomeKnown,
  becomeLoading,
  type Circuit,
  circuitAfter,
  followCircuit,
  overflow,
  type Queue,
  type Queued,
  targetOf,
} from './queue.js';
import { clear, deleteQueue, removeJobs } from './queues.js';
import { consider } from './sending.js';
import { TokenBucket } from './token-buckets.js';

export function webhookChanged(context: Context, { webhookId }: InputOf<'webhookChanged'>): void {
  const queue = context.state.queues.get(webhookId);
  if (queue !== undefined) change(context, queue);
}

export function targetsLoaded(
  context: Context,
  { webhookIds, targets }: InputOf<'targetsLoaded'>,
): void {
  for (const { webhookId, target, isLast } of endLoad(context.state, webhookIds, targets)) {
    const queue = context.state.queues.get(webhookId);
    if (queue === undefined) continue;
    if (target === undefined) deleted(context, queue);
    else loaded(context, queue, target, isLast);
  }
}

function deleted(context: Context, queue: Queue): void {
  const { webhookId } = queue;
  clear(context, queue);
  context.effects.push({ kind: 'endPending', webhookId, as: 'cancelled' });
  deleteQueue(context, queue);
}

function loaded(context: Context, queue: Queue, target: Target, isLast: boolean): void {
  const { state, effects } = context;
  const { webhookId } = queue;
  const before = targetOf(queue);
  if (before !== undefined && before.version !== target.version) startAnew(context, queue);
  // The load began before the change that the job has seen, so the webhook is loaded once more.
  if (target.version < queue.wantedVersion) want(state, webhookId);
  becomeKnown(queue, target);
  if (!isLast || target.version < queue.wantedVersion) becomeLoading(queue);
  queue.isFailing ||= target.isFailing === true;
  if (target.isFailing === true) {
    leaveToTable(context, queue);
    if (queue.pace.kind === 'new') setPace(context, queue, FAILING_PACE);
  }
  limitTo(context, queue, target.rateLimit);
  joinHost(context, queue, target.url);
  if (target.status === 'disabled') {
    clear(context, queue);
    effects.push({ kind: 'endPending', webhookId, as: 'held' });
  }
  if (target.rest !== undefined) restore(context, queue, target.rest);
  if (target.ordered === true && before?.ordered !== true) ordered.failed(context, queue);
  else readAnew(context, queue);
  if (target.status === 'paused') moveToTable(context, queue);
  const isResumed = before !== undefined && before.status !== 'active';
  const isFreed = before?.ordered === true && target.ordered !== true;
  if ((isResumed && target.status === 'active') || isFreed) effects.push({ kind: 'read' });
  consider(context, queue);
}

/**
 * Drops what was learned of the version before, since an answer belongs to the version that gave it. Attempts that wait
 * for an answer of the older version take no slot from this one.
 */
function startAnew(context: Context, queue: Queue): void {
  dropCircuit(context, queue);
  detach(queue);
  setPace(context, queue, NEW_PACE);
}

/** Sets the rate limit. */
function limitTo(context: Context, queue: Queue, perS: number | undefined): void {
  if (queue.bucket?.perS === perS) return;
  const { state, nowMs } = context;
  state.refilling = state.refilling.filter((one) => one !== queue);
  queue.refillAtMs = undefined;
  queue.bucket = perS === undefined ? undefined : new TokenBucket(perS, nowMs);
  if (queue.bucket) leaveToTable(context, queue);
}

/** Removes the jobs that were sent ahead and wait: every job that may have to wait for long is stored first. */
function leaveToTable(context: Context, queue: Queue): void {
  const { ahead } = context.state.inHand;
  const isAhead = ({ job }: Queued) => ahead.has(job.deliveryId);
  if (removeJobs(context, queue, isAhead)) overflow(context.state, queue);
}

/** Sends nothing until the driver has compared the circuit that another replica left open with what is known here. */
function restore({ effects }: Context, queue: Queue, rest: Rest): void {
  const { webhookId, circuit: otherwise } = queue;
  queue.circuit = 'open';
  followCircuit(queue);
  effects.push({ kind: 'restoreCircuit', webhookId, rest, otherwise });
}

export function circuitRestored(
  context: Context,
  { webhookId, circuit }: InputOf<'circuitRestored'>,
): void {
  const queue = context.state.queues.get(webhookId);
  if (queue !== undefined) becomes(context, queue, circuit);
}

export function circuitChanged(
  context: Context,
  { webhookId, change }: InputOf<'circuitChanged'>,
): void {
  const { state, effects, epochOf } = context;
  const queue = state.queues.get(webhookId);
  if (queue === undefined) return;
  // After the shard has gone, this change would overwrite what the next owner learns.
  if (queue.epoch === epochOf(queue.shard)) {
    effects.push({ kind: 'keepCircuit', webhookId, change, lastSent: queue.lastSent });
  }
  becomes(context, queue, circuitAfter(change));
  if (change.to !== 'open') effects.push({ kind: 'read' });
}

function becomes(context: Context, queue: Queue, circuit: Circuit): void {
  queue.circuit = circuit;
  followCircuit(queue);
  if (circuit === 'open') moveToTable(context, queue);
  else consider(context, queue);
}

/** Empties a queue that rests: its jobs would take room, and are rows too. */
function moveToTable(context: Context, queue: Queue): void {
  if (clear(context, queue)) overflow(context.state, queue);
}
