import { isFailing } from '../failing.js';
import type { Result } from '../job.js';
import { seenAs } from './circuit.js';
import { end } from './classes.js';
import { USED_MIN_MS } from './limits.js';
import type { Context, Of } from './messages.js';
import { paced, RESPONSIVE_MAX_MS } from './pace.js';
import { setPace } from './pacing.js';
import { policyOf } from './policies.js';
import { consider } from './sending.js';
import type { Attempt } from './state.js';
import { finished, push } from './writing.js';

export function attemptEnded(
  context: Context,
  { attempt, result, isSuspected }: Of<'attemptEnded'>,
): void {
  const { queue } = attempt;
  const { totalMs } = result.record;
  learn(context, attempt, result);
  queue.circuit = seenAs(queue.circuit, isSuspected);
  // What comes behind it has to wait for it in the table, where it waits itself.
  if (mayBeRetried(result)) policyOf(queue).failed(context, queue);
  conclude(context, attempt, result);
  end(context.state, attempt, totalMs > RESPONSIVE_MAX_MS && isFailing(result.record));
  consider(context, queue);
}

/** The row stays as it is and is read again; one that was sent ahead has none, and is to be filed. */
export function attemptBroke(context: Context, { attempt }: Of<'attemptBroke'>): void {
  const { queue, job, decided } = attempt;
  const { ahead, givenUp } = context.state.inHand;
  policyOf(queue).failed(context, queue);
  givenUp.delete(job.deliveryId);
  if (ahead.delete(job.deliveryId) && decided) {
    context.effects.push({ kind: 'decide', decided, result: undefined });
  }
  finished(context, job);
  end(context.state, attempt, false);
  consider(context, queue);
}

/** Also where it ends its webhook, unless that turns out to have changed when it is written. */
const mayBeRetried = ({ fact, otherwise }: Result): boolean =>
  fact.type === 'delivery.attempt_failed' || otherwise !== undefined;

function learn(context: Context, { queue }: Attempt, { record, isOutdated }: Result): void {
  const { totalMs } = record;
  queue.usedMs += Math.max(USED_MIN_MS, totalMs);
  queue.isFailing ||= record.outcome.kind !== 'succeeded';
  if (isOutdated) return;
  const { pace, underWay } = queue;
  setPace(context, queue, paced(pace, { isWell: !isFailing(record), totalMs, underWay }));
}

/** Its result is written, or given to whoever sent it ahead, who writes it with its row. */
function conclude(context: Context, { job, decided }: Attempt, result: Result): void {
  const { ahead, givenUp } = context.state.inHand;
  if (givenUp.delete(job.deliveryId)) finished(context, job);
  else if (ahead.delete(job.deliveryId) && decided) {
    context.effects.push({ kind: 'decide', decided, result });
  } else push(context, result);
}
