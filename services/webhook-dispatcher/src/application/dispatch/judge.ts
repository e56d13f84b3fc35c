import { deliveryDecider } from '../../domain/delivery/decider.js';
import type { RetryPolicy } from '../../domain/delivery/retry-policy.js';
import type { AttemptRecord, Job, Result } from './job.js';

/** Turns what was seen of an attempt into what follows from it. */
export const judgeWith =
  (policy: RetryPolicy, now: () => Date, chance: () => number) =>
  (job: Job, record: AttemptRecord, epoch: string): Result => {
    const { attempt } = job;
    const attempts = attempt - 1;
    const [fact] = deliveryDecider(policy).decide(
      { type: 'RecordAttempt', data: { attempt, outcome: record.outcome, chance: chance() } },
      { status: attempts === 0 ? 'pending' : 'retrying', attempts },
    );
    if (fact === undefined) throw new Error(`Attempt ${attempt} was not the one awaited.`);
    return { job, epoch, at: now(), record, fact };
  };
