import { deliveryDecider } from '../../domain/delivery/decider.js';
import type { RetryPolicy } from '../../domain/delivery/retry-policy.js';
import type { AttemptRecord, Job, Result, Target } from './job.js';

/** Turns what was seen of an attempt into what follows from it, by the webhook's own schedule if it has one. */
export const judgeWith = (policy: RetryPolicy, now: () => Date, chance: () => number) => {
  const common = deliveryDecider(policy);
  return (job: Job, record: AttemptRecord, epoch: string, target: Target): Result => {
    const { attempt } = job;
    const attempts = attempt - 1;
    const [fact] = (target.retry ? deliveryDecider(target.retry) : common).decide(
      { type: 'RecordAttempt', data: { attempt, outcome: record.outcome, chance: chance() } },
      { status: attempts === 0 ? 'pending' : 'retrying', attempts },
    );
    if (fact === undefined) throw new Error(`Attempt ${attempt} was not the one awaited.`);
    return { job, epoch, at: now(), record, fact };
  };
};
