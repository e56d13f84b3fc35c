import type { AttemptOutcome, DeliveryEvent } from './events.js';
import { delayAfter, type RetryPolicy } from './retry-policy.js';

export interface AttemptReport {
  /** Number of the attempt, 1 for the first. */
  readonly attempt: number;
  /** Number of attempts that the owner requested, this one included: the schedule does not count them. */
  readonly unscheduled?: number;
  readonly outcome: AttemptOutcome;
  /** Uniform number in [0, 1), from which the jitter of the next attempt is drawn. */
  readonly chance: number;
}

/**
 * Returns the fact that an attempt leads to, by the schedule of its webhook. A delivery is no stream: its history is
 * short, and its facts are rows written in batches.
 */
export function factOfAttempt(
  { attempt, unscheduled = 0, outcome, chance }: AttemptReport,
  policy: RetryPolicy,
): DeliveryEvent {
  switch (outcome.kind) {
    case 'succeeded':
      return { type: 'delivery.succeeded', data: { attempt } };

    case 'gone':
      return { type: 'delivery.exhausted', data: { attempt, reason: 'gone_410', gone: true } };

    case 'failed':
    case 'refused': {
      const { reason } = outcome;
      const askedMs = outcome.kind === 'failed' ? outcome.retryAfterMs : 0;
      const delayMs = delayAfter(policy, attempt - unscheduled, askedMs, chance);
      if (delayMs !== undefined) {
        return { type: 'delivery.attempt_failed', data: { attempt, reason, delayMs } };
      }
      return outcome.kind === 'refused'
        ? { type: 'delivery.refused', data: { attempt, reason } }
        : { type: 'delivery.exhausted', data: { attempt, reason, gone: false } };
    }
  }
}
