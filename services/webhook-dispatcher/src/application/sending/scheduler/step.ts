import type { Job } from '../../job.js';
import { attemptBroke, attemptEnded, lookForLate } from './attempts.js';
import { adapt } from './classes.js';
import { releaseHeld } from './hosts.js';
import { failLoad, load, loseShard } from './loading.js';
import type { Context, Effect, Input, Moment } from './messages.js';
import { accepted, released, stopped, stored, takeAhead } from './offers.js';
import type { Queued } from './queue.js';
import { leftInTable, orderedRead, readAllOf, readStarted, takeRead } from './reading.js';
import { pump, refill } from './sending.js';
import { BATCHES, type State } from './state.js';
import { circuitChanged, circuitRestored, targetsLoaded, webhookChanged } from './webhooks.js';
import { flush, writeFailed, written } from './writing.js';

/**
 * Handles inputs: changes the state, and returns the effects that the driver has to perform. The state is changed in
 * place, since a copy for each delivery would cost more than all the rest.
 *
 * The scheduler keeps a queue for each webhook. Queues take turns by the time that their attempts use, and each sends
 * within a limit that adapts to its webhook. The phases of a queue and the states of its circuit are described in
 * queue.ts.
 */
export function step(state: State, inputs: readonly Input[], moment: Moment): readonly Effect[] {
  const context = contextOf(state, moment);
  for (const input of inputs) handle(context, input);
  return effectsOf(context);
}

/** Offers a job from Kafka whose row is not written: it is taken if it can be sent soon, and sent by the next step. */
export function offerAhead(state: State, queued: Queued, moment: Moment) {
  const context = contextOf(state, moment);
  const isTaken = takeAhead(context, queued);
  return { isTaken, effects: context.effects };
}

/** Ends a read of what is due, and offers the jobs that it found; none, if the read failed. */
export function offerRead(state: State, jobs: readonly Job[], moment: Moment) {
  const context = contextOf(state, moment);
  const turnedAway = takeRead(context, jobs);
  return { turnedAway, effects: effectsOf(context) };
}

const contextOf = (state: State, { nowMs, epochOf }: Moment): Context => ({
  state,
  effects: [],
  nowMs,
  epochOf,
});

/** Returns the effects of a change of the state, with those of what may be sent, written and loaded after it. */
function effectsOf(context: Context): readonly Effect[] {
  pump(context);
  flush(context);
  load(context);
  return context.effects;
}

function handle(context: Context, input: Input): void {
  switch (input.kind) {
    case 'accepted':
      return accepted(context, input);
    case 'stored':
      return stored(context, input);
    case 'released':
      return released(context, input);
    case 'readStarted':
      return readStarted(context);
    case 'readAllOf':
      return readAllOf(context, input);
    case 'leftInTable':
      return leftInTable(context, input);
    case 'orderedRead':
      return orderedRead(context, input);
    case 'targetsLoaded':
      return targetsLoaded(context, input);
    case 'loadFailed':
      return failLoad(context.state, input.webhookIds);
    case 'loadAgain':
      context.state.loading.mayStart = true;
      return;
    case 'webhookChanged':
      return webhookChanged(context, input);
    case 'circuitChanged':
      return circuitChanged(context, input);
    case 'circuitRestored':
      return circuitRestored(context, input);
    case 'attemptEnded':
      return attemptEnded(context, input);
    case 'attemptBroke':
      return attemptBroke(context, input);
    case 'written':
      return written(context, input);
    case 'writeFailed':
      return writeFailed(context, input);
    case 'shardLost':
      return loseShard(context, input.shard);
    case 'ticked':
      return ticked(context);
    case 'stopped':
      return stopped(context);
  }
}

function ticked(context: Context): void {
  const { state, nowMs } = context;
  const isDue = (atMs = Number.POSITIVE_INFINITY) => atMs <= nowMs;
  if (isDue(state.lookAtMs)) lookForLate(context);
  refill(context);
  if (isDue(state.releaseAtMs)) releaseHeld(context);
  if (!isDue(state.adaptAtMs)) return;
  state.adaptAtMs = undefined;
  adapt(state);
}

/** Returns when the next tick is due; Infinity: nothing waits for one. */
export function nextTickMs(state: State): number {
  const { batches, adaptAtMs, lookAtMs, refillAtMs, releaseAtMs, isStopped } = state;
  const never = Number.POSITIVE_INFINITY;
  const toRefill = Math.min(refillAtMs ?? never, releaseAtMs ?? never);
  const toSend = isStopped ? never : Math.min(adaptAtMs ?? never, lookAtMs ?? never, toRefill);
  return BATCHES.reduce((atMs, name) => Math.min(atMs, batches[name].dueAtMs ?? never), toSend);
}
