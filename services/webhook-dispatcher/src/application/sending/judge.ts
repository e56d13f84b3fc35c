import type { AttemptOutcome } from '../../domain/delivery/events.js';
import { factOfAttempt } from '../../domain/delivery/fact-of-attempt.js';
import type { RetryPolicy } from '../../domain/delivery/retry-policy.js';
import type { AttemptRecord, Job, Result, Target } from '../job.js';

/** Attempt that has ended. */
export interface Ended {
  readonly job: Job;
  /** Webhook as the attempt was sent to it. */
  readonly target: Target;
  readonly epoch: string;
  readonly record: AttemptRecord;
  /** Whether the webhook changed during the attempt. */
  readonly isOutdated: boolean;
}

/**
 * Returns a function that turns the record of an attempt into its result, by the webhook's own schedule if it has one.
 */
export const judgeWith = (policy: RetryPolicy, now: () => Date, chance: () => number) => {
  return ({ job, target, epoch, record, isOutdated }: Ended): Result => {
    const { attempt, unscheduled } = job;
    const factOf = (outcome: AttemptOutcome) =>
      factOfAttempt({ attempt, unscheduled, outcome, chance: chance() }, target.retry ?? policy);
    const { version } = target;
    const otherwise = record.outcome.kind === 'gone' ? factOf(GONE_BEFORE) : undefined;
    const fact = isOutdated && otherwise ? otherwise : factOf(record.outcome);
    return { job, epoch, at: now(), record, version, isOutdated, fact, otherwise };
  };
};

/** Outcome of a 410 by the receiver of an older version: the receiver of this version may still want the delivery. */
const GONE_BEFORE: AttemptOutcome = { kind: 'failed', reason: 'http_410', retryAfterMs: 0 };
