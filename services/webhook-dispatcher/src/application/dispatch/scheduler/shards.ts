import { want } from './loading.js';
import type { Context } from './messages.js';
import { leaveToRead } from './ordered.js';
import { unsettle } from './phases.js';
import { deleteQueue, empty, takeOut } from './queues.js';
import type { Queue } from './state.js';

/** Drops the queues of a shard that another replica may own now: what is known of its webhooks is out of date. */
export function dropShard(context: Context, shard: number): void {
  for (const queue of context.state.queues.values()) {
    if (queue.shard !== shard) continue;
    empty(context, queue);
    if (queue.underWay === 0 && queue.unwritten === 0) deleteQueue(context, queue);
    else {
      relearn(context, queue);
      leaveToRead(context, queue);
    }
  }
}

/** Has the webhook loaded again without its breaker: another replica may have sent to it and know more by now. */
export function relearn(context: Context, queue: Queue): void {
  dropCircuit(context, queue);
  change(context, queue);
}

/** Has the webhook loaded before anything else is sent to it, since it may have changed. */
export function change({ state }: Context, queue: Queue): void {
  unsettle(queue);
  takeOut(state, queue);
  want(state, queue.webhookId);
}

/** Drops what was learned of the circuit. */
export function dropCircuit({ effects }: Context, queue: Queue): void {
  queue.circuit = 'unknown';
  effects.push({ kind: 'dropCircuit', webhookId: queue.webhookId });
}
