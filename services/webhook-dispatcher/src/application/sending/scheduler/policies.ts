import type { Context } from './messages.js';
import { isAtEase, isDisabled, isHeld, leftIn, overflow, type Queue, targetOf } from './queue.js';
import { clear, type Source } from './queues.js';

/** Rules that a queue follows for the order its owner chose. */
export interface Policy {
  /** Returns whether a job from this source may join the queue. */
  takes(queue: Queue, source: Source): boolean;
  /** Called when a job may not join. */
  turnedAway(context: Context, queue: Queue): void;
  /** Returns whether the next job may be sent, whatever was sent and is not written. */
  mayStart(queue: Queue): boolean;
  /** Called when an attempt failed and its delivery waits in the table. */
  failed(context: Context, queue: Queue): void;
  /** Called when a result is written. */
  finished(context: Context, queue: Queue): void;
  /** Returns whether reads of all that is due leave out the webhook. */
  isReadApart(queue: Queue): boolean;
}

/**
 * Policy of most webhooks: first in, first out, many at once. Fresh jobs join while nothing older was left to the
 * table; a failed delivery waits there for its time, and holds nobody up.
 */
export const fifo: Policy = {
  takes: (queue, source) => source !== 'fresh' || leftIn(queue) === 0,
  turnedAway: ({ state }, queue) => overflow(state, queue),
  mayStart: () => true,
  failed() {},
  finished() {},
  isReadApart: () => false,
};

/**
 * Policy of webhooks that get one delivery at a time, in the order of arrival, as the table has it. Jobs join only from
 * a read of the queue's head; the next is sent when the one before is written, and jobs behind a failed one wait in the
 * table with it.
 */
export const ordered: Policy = {
  takes: (_, source) => source === 'ordered',
  turnedAway: deferToRead,
  mayStart: ({ unwritten }) => unwritten === 0,
  failed(context, queue) {
    clear(context, queue);
    deferToRead(context, queue);
  },
  finished({ effects }, queue) {
    if (isOrderedAndIdle(queue)) effects.push({ kind: 'read' });
  },
  // A queue that has left nothing to the table is read with all others: another replica may have stored a delivery. A
  // disabled webhook is read with them too, since nothing else reads its deliveries.
  isReadApart: (queue) => leftIn(queue) > 0 && !isDisabled(queue),
};

/** Leaves jobs to the table, whose head is read when nothing of the webhook is in hand. */
export function deferToRead(context: Context, queue: Queue): void {
  overflow(context.state, queue);
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
  !isHeld(queue) &&
  isAtEase(queue, 0);

/** Returns the policy of a queue; until its webhook is loaded, that of most queues. */
export const policyOf = (queue: Queue): Policy =>
  targetOf(queue)?.ordered === true ? ordered : fifo;
