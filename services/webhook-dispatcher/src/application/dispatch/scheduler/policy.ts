import type { Context } from './messages.js';
import type { Source } from './queues.js';
import type { Queue } from './state.js';

/** What the order that its owner asked for means for a queue. */
export interface Policy {
  /** A job that comes from there may join the queue. */
  takes(queue: Queue, source: Source): boolean;
  /** One that may not was turned away. */
  turnedAway(context: Context, queue: Queue): void;
  /** Nothing that is sent and not written keeps the next from being sent. */
  mayBegin(queue: Queue): boolean;
  /** An attempt failed: its delivery waits in the table. */
  failed(context: Context, queue: Queue): void;
  /** A result is written. */
  finished(context: Context, queue: Queue): void;
  /** Reads of all that is due leave it out. */
  isReadApart(queue: Queue): boolean;
}
