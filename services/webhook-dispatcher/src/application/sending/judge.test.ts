import { describe, expect, it } from '@jest/globals';
import { ACCEPTED, GONE, job, TIMED_OUT, target } from '../../../test/scheduled.js';
import type { AttemptRecord, Job, Target } from '../job.js';
import { judgeWith } from './judge.js';

const SECOND = 1_000;
const AT = new Date('2030-01-01T00:00:00Z');

interface Case {
  readonly job?: Partial<Job>;
  readonly target?: Partial<Target>;
  readonly record?: Partial<AttemptRecord>;
}

const failed = (delayMs: number, { attempt = 1, reason = 'timeout' } = {}) => ({
  type: 'delivery.attempt_failed',
  data: { attempt, reason, delayMs },
});

describe('the result of an attempt', () => {
  it.each<[string, Case, object]>([
    ['succeeds', {}, { type: 'delivery.succeeded', data: { attempt: 1 } }],
    ['fails: it is tried again after the first delay', { record: TIMED_OUT }, failed(11 * SECOND)],
    [
      'fails at the second attempt: it is tried again after the second delay',
      { record: TIMED_OUT, job: { attempt: 2 } },
      failed(110 * SECOND, { attempt: 2 }),
    ],
    [
      'fails at an attempt that its owner requested: the schedule does not count it',
      { record: TIMED_OUT, job: { attempt: 2, unscheduled: 1 } },
      failed(11 * SECOND, { attempt: 2 }),
    ],
    [
      'fails at a webhook with a schedule of its own: that one is followed',
      { record: TIMED_OUT, target: { retry: { delaysMs: [SECOND] } } },
      failed(1.1 * SECOND),
    ],
    [
      'fails at the last attempt: it is exhausted',
      { record: TIMED_OUT, job: { attempt: 3 } },
      { type: 'delivery.exhausted', data: { attempt: 3, reason: 'timeout', gone: false } },
    ],
  ])('says of a delivery that %s', (_, one, fact) => {
    const result = judged(one);
    expect(result.fact).toEqual(fact);
    expect(result.otherwise).toBeUndefined();
  });

  it('holds the job, its record, the lease, the time and the version that was sent to', () => {
    const result = judged({ target: { version: 4 } });
    expect(result).toMatchObject({ job: job('a', 1), epoch: '7', at: AT, version: 4 });
    expect(result).toMatchObject({ record: ACCEPTED, isOutdated: false });
  });

  it('ends the webhook after a 410, and says how the delivery goes on if the webhook has changed', () => {
    const { fact, otherwise } = judged({ record: GONE });
    expect(fact).toMatchObject({ type: 'delivery.exhausted', data: { gone: true } });
    expect(otherwise).toEqual(failed(11 * SECOND, { reason: 'http_410' }));
  });

  it('tries again after a 410 of an older version, and after the schedule is exhausted without an end of the webhook', () => {
    expect(judged({ record: GONE }, true)).toMatchObject({
      fact: failed(11 * SECOND, { reason: 'http_410' }),
      isOutdated: true,
    });
    expect(judged({ record: GONE, job: { attempt: 3 } }, true).fact).toEqual({
      type: 'delivery.exhausted',
      data: { attempt: 3, reason: 'http_410', gone: false },
    });
  });
});

/** Judges an attempt by the schedule of 10 and 100 seconds, with half of the jitter. */
function judged({ job: jobAs, target: targetAs, record }: Case, isOutdated = false) {
  const judge = judgeWith(
    { delaysMs: [10 * SECOND, 100 * SECOND] },
    () => AT,
    () => 0.5,
  );
  return judge({
    job: job('a', 1, jobAs),
    target: target('a', targetAs),
    epoch: '7',
    record: { ...ACCEPTED, ...record },
    isOutdated,
  });
}
