import { isFailing, type Result } from '../../job.js';
import { answered, endAttempt, findLate, isAttached } from './classes.js';
import { giveCredit } from './hosts.js';
import { USED_MIN_MS } from './limits.js';
import type { Context, InputOf } from './messages.js';
import { lineOf, neededMs, type Pace, paced, pacedLate, RESPONSIVE_MAX_MS } from './pace.js';
import { policyOf } from './policies.js';
import { overflow, type Queue, seenAs } from './queue.js';
import { changePace, jobsMaxOf, moveTo, truncate } from './queues.js';
import { consider } from './sending.js';
import type { Attempt } from './state.js';
import { finished, pushResult } from './writing.js';

export function attemptEnded(
  context: Context,
  { attempt, result, isSuspected }: InputOf<'attemptEnded'>,
): void {
  const { queue } = attempt;
  const { totalMs } = result.record;
  learn(context, attempt, result);
  queue.circuit = seenAs(queue.circuit, isSuspected);
  // Jobs behind a failed one of an ordered webhook have to wait in the table, as the failed one does.
  if (mayBeRetried(result)) policyOf(queue).failed(context, queue);
  conclude(context, attempt, result);
  endAttempt(context.state, attempt, totalMs > RESPONSIVE_MAX_MS && isFailing(result.record));
  consider(context, queue);
}

/**
 * Leaves the row as it is, to be read again. A job that was sent ahead has no row yet, so its caller has to file it.
 */
export function attemptBroke(context: Context, { attempt }: InputOf<'attemptBroke'>): void {
  const { queue, job, decided } = attempt;
  const { ahead, givenUp } = context.state.inHand;
  policyOf(queue).failed(context, queue);
  overflow(context.state, queue);
  givenUp.delete(job.deliveryId);
  if (ahead.delete(job.deliveryId) && decided) {
    context.effects.push({ kind: 'decide', decided, result: 'removed' });
  }
  finished(context, job);
  endAttempt(context.state, attempt, false);
  consider(context, queue);
}

/**
 * Returns whether the delivery may get another attempt, also when its result ends the webhook: on writing, the webhook
 * may turn out to have changed.
 */
const mayBeRetried = ({ fact, otherwise }: Result): boolean =>
  fact.type === 'delivery.attempt_failed' || otherwise !== undefined;

function learn(context: Context, attempt: Attempt, { record, isOutdated }: Result): void {
  const { queue, job, isSlow: wasLate } = attempt;
  const { pace, underWay } = queue;
  const { totalMs } = record;
  const usedMs = Math.max(USED_MIN_MS, totalMs);
  queue.usedMs += usedMs;
  if (totalMs <= RESPONSIVE_MAX_MS) {
    const needed = neededMs(pace, usedMs) / usedMs;
    answered(context.state.classes[attempt.class], needed, context.nowMs);
  }
  queue.isFailing ||= record.outcome.kind !== 'succeeded';
  if (isOutdated) return;
  if (record.outcome.kind === 'succeeded') giveCredit(context, queue, job);
  const isWell = !isFailing(record);
  setPace(context, queue, paced(pace, { isWell, totalMs, underWay, wasLate }));
}

/** Has the result written. The caller of a job that was sent ahead gets the result, and writes it with the row. */
function conclude(context: Context, { job, decided }: Attempt, result: Result): void {
  const { ahead, givenUp } = context.state.inHand;
  if (givenUp.delete(job.deliveryId)) finished(context, job);
  else if (ahead.delete(job.deliveryId) && decided) {
    context.effects.push({ kind: 'decide', decided, result });
  } else pushResult(context, result);
}

/** Sets the pace. In another line, the webhook waits for other slots and may have another number of jobs queued. */
export function setPace(context: Context, queue: Queue, pace: Pace): void {
  if (lineOf(queue.pace) === lineOf(pace)) {
    changePace(context.state, queue, pace);
    return;
  }
  moveTo(context.state, queue, pace);
  if (truncate(context, queue, jobsMaxOf(queue))) overflow(context.state, queue);
  consider(context, queue);
}

/** Has webhooks slowed down whose attempts take long, and their jobs stored that were sent ahead. */
export function lookForLate(context: Context): void {
  const { state, effects, nowMs } = context;
  for (const attempt of findLate(state, nowMs)) {
    const { queue, job, decided } = attempt;
    if (decided && state.inHand.ahead.has(job.deliveryId)) {
      effects.push({ kind: 'decide', decided, result: 'late' });
    }
    if (isAttached(attempt)) setPace(context, queue, pacedLate(queue.pace));
  }
}
