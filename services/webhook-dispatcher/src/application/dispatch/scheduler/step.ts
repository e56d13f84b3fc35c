import { filed, offeredAhead, settled, stopped } from './ahead.js';
import { attemptBroke, attemptEnded } from './attempts.js';
import { grow } from './classes.js';
import { failLoad, load } from './loading.js';
import type { Context, Effect, Input, Moment } from './messages.js';
import { accepted } from './offers.js';
import { look } from './pacing.js';
import { orderedRead, readAllBut, readAllOf, readBegan, rowsRead } from './reading.js';
import { pump, refill } from './sending.js';
import { dropShard } from './shards.js';
import { BATCHES, type State } from './state.js';
import { circuitChanged, circuitRestored, targetsLoaded, webhookChanged } from './webhooks.js';
import { flush, writeFailed, written } from './writing.js';

export interface Step {
  readonly state: State;
  readonly effects: readonly Effect[];
}

/**
 * Handles one input: changes the state, and returns the effects that the driver has to perform. The state is changed in
 * place, since a copy for each delivery would cost more than all the rest.
 *
 * The scheduler keeps a queue for each webhook. Queues take turns by the time that their attempts use, and each sends
 * within a limit that adapts to its webhook. The phases of a queue and the states of its circuit are described in
 * state.ts.
 */
export function step(state: State, input: Input, moment: Moment): Step {
  const { nowMs, epochOf } = moment;
  const context: Context = { state, effects: [], nowMs, epochOf };
  handle(context, input);
  pump(context);
  flush(context);
  load(context);
  return context;
}

function handle(context: Context, input: Input): void {
  switch (input.kind) {
    case 'accepted':
      return accepted(context, input);
    case 'offeredAhead':
      return offeredAhead(context, input);
    case 'filed':
      return filed(context, input);
    case 'settled':
      return settled(context, input);
    case 'readBegan':
      return readBegan(context);
    case 'rowsRead':
      return rowsRead(context, input);
    case 'readAllOf':
      return readAllOf(context, input);
    case 'readAllBut':
      return readAllBut(context, input);
    case 'orderedRead':
      return orderedRead(context, input);
    case 'targetsLoaded':
      return targetsLoaded(context, input);
    case 'loadFailed':
      return failLoad(context.state, input.webhookIds);
    case 'loadAgain':
      context.state.loading.mayBegin = true;
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
      return dropShard(context, input.shard);
    case 'ticked':
      return ticked(context);
    case 'stopped':
      return stopped(context);
  }
}

function ticked(context: Context): void {
  const { state, nowMs } = context;
  const isDue = (atMs: number | undefined) => atMs !== undefined && atMs <= nowMs;
  if (isDue(state.lookAtMs)) look(context);
  if (isDue(state.refillAtMs)) refill(context);
  if (!isDue(state.growAtMs)) return;
  state.growAtMs = undefined;
  grow(state);
}

/** Returns when the next tick is due; Infinity: nothing waits for one. */
export function nextTickMs({ batches, growAtMs, lookAtMs, refillAtMs, isStopped }: State): number {
  const never = Number.POSITIVE_INFINITY;
  const toSend = isStopped
    ? never
    : Math.min(growAtMs ?? never, lookAtMs ?? never, refillAtMs ?? never);
  return BATCHES.reduce((atMs, name) => Math.min(atMs, batches[name].dueAtMs ?? never), toSend);
}
