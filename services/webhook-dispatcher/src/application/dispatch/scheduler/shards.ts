import { want } from './loading.js';
import type { Context } from './messages.js';
import { leaveToRead } from './ordered.js';
import { unsettle } from './phases.js';
import { deleteQueue, empty, takeOut } from './queues.js';
import type { Queue } from './state.js';

/** The shard is somebody else's now, and what is known of its webhooks is out of date from now on. */
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

/** Another replica may have looked after it meanwhile, and has learned more of it. */
export function relearn(context: Context, queue: Queue): void {
  dropCircuit(context, queue);
  change(context, queue);
}

/** The webhook may have changed: it is loaded before anything else is sent to it. */
export function change({ state }: Context, queue: Queue): void {
  unsettle(queue);
  takeOut(state, queue);
  want(state, queue.webhookId);
}

/** What was learned of it is of no use. */
export function dropCircuit({ effects }: Context, queue: Queue): void {
  queue.circuit = 'unknown';
  effects.push({ kind: 'dropCircuit', webhookId: queue.webhookId });
}
