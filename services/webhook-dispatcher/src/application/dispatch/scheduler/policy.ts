import type { Context } from './messages.js';
import type { Source } from './queues.js';
import type { Queue } from './state.js';

/** Rules that a queue follows for the order its owner chose. */
export interface Policy {
  /** Returns whether a job from this source may join the queue. */
  takes(queue: Queue, source: Source): boolean;
  /** Called when a job may not join. */
  turnedAway(context: Context, queue: Queue): void;
  /** Returns whether the next job may be sent, whatever was sent and is not written. */
  mayBegin(queue: Queue): boolean;
  /** Called when an attempt failed and its delivery waits in the table. */
  failed(context: Context, queue: Queue): void;
  /** Called when a result is written. */
  finished(context: Context, queue: Queue): void;
  /** Returns whether reads of all that is due leave out the webhook. */
  isReadApart(queue: Queue): boolean;
}
