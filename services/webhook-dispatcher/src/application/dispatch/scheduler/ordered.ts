import { isAtEase } from './circuit.js';
import type { Context } from './messages.js';
import { leave, leftIn, targetOf } from './phases.js';
import type { Policy } from './policy.js';
import { empty } from './queues.js';
import type { Queue } from './state.js';

/**
 * One at a time, in the order of arrival, as the table has it. A job joins from a read of the queue's head alone, the
 * next is sent when the one before is written, and those behind one that failed wait in the table with it.
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
  // One that has nothing in the table, as far as is known, may be surprised by what another replica filed there.
  isReadApart: (queue) => leftIn(queue) > 0,
};

/** The head is read when nothing of it is in hand. */
export function leaveToRead(context: Context, queue: Queue): void {
  leave(context, queue);
  readAnew(context, queue);
}

/** The head may be due sooner than it was when it was read. */
export function readAnew({ effects, nowMs }: Context, queue: Queue): void {
  queue.headDueAtMs = nowMs;
  if (isOrderedAndIdle(queue)) effects.push({ kind: 'read' });
}

/** It has nothing in hand here and something in the table: what is read now is the beginning of what waits. */
export const isOrderedAndIdle = (queue: Queue): boolean =>
  queue.phase.kind === 'overflowed' &&
  targetOf(queue)?.ordered === true &&
  queue.jobs.length === 0 &&
  queue.unwritten === 0 &&
  isAtEase(queue, 0);
