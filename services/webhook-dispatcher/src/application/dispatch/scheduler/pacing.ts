import { findSlow } from './classes.js';
import type { Context } from './messages.js';
import { lineOf, type Pace } from './pace.js';
import { leave } from './phases.js';
import { cut, jobsMaxOf, moveTo } from './queues.js';
import { consider } from './sending.js';
import type { Queue } from './state.js';

/** Sets the pace. In another line, the webhook waits for other slots and may have another number of jobs queued. */
export function setPace(context: Context, queue: Queue, pace: Pace): void {
  if (lineOf(queue.pace) === lineOf(pace)) {
    queue.pace = pace;
    return;
  }
  moveTo(context.state, queue, pace);
  if (cut(context, queue, jobsMaxOf(queue))) leave(context, queue);
  consider(context, queue);
}

/** Makes webhooks slow, responsive or new until now, whose attempts take long. */
export function look(context: Context): void {
  for (const queue of findSlow(context.state, context.nowMs)) {
    setPace(context, queue, { ...queue.pace, kind: 'slow' });
  }
}
