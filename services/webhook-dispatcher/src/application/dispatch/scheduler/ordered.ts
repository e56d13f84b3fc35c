import { isAtEase } from './circuit.js';
import type { Context } from './messages.js';
import { leave, leftIn, targetOf } from './phases.js';
import type { Policy } from './policy.js';
import { empty } from './queues.js';
import type { Queue } from './state.js';

/**
 * Policy of webhooks that get one delivery at a time, in the order of arrival, as the table has it. Jobs join only from
 * a read of the queue's head; the next is sent when the one before is written, and jobs behind a failed one wait in the
 * table with it.
 */
export const ordered: Policy = {
  takes: (_, source) => source === 'ordered',
  turnedAway: leaveToRead,
  mayBegin: ({ unwritten }) => unwritten === 0,
  failed(context, queue) {
    empty(context, queue);
    leaveToRead(context, queue);
  },
  finished({ effects }, queue) {
    if (isOrderedAndIdle(queue)) effects.push({ kind: 'read' });
  },
  // A queue that has left nothing to the table is read with all others: another replica may have filed a delivery.
  isReadApart: (queue) => leftIn(queue) > 0,
};

/** Leaves jobs to the table, whose head is read when nothing of the webhook is in hand. */
export function leaveToRead(context: Context, queue: Queue): void {
  leave(context, queue);
  readAnew(context, queue);
}

/** Has the head read again: it may be due sooner than the last read found. */
export function readAnew({ effects, nowMs }: Context, queue: Queue): void {
  queue.headDueAtMs = nowMs;
  if (isOrderedAndIdle(queue)) effects.push({ kind: 'read' });
}

/**
 * Returns whether the webhook has something in the table and nothing in hand here, so that a read now finds the head of
 * what waits.
 */
export const isOrderedAndIdle = (queue: Queue): boolean =>
  queue.phase.kind === 'overflowed' &&
  targetOf(queue)?.ordered === true &&
  queue.jobs.length === 0 &&
  queue.unwritten === 0 &&
  isAtEase(queue, 0);
