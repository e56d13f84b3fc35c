import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { AttemptOutcome, DeliveryEvent } from './events.js';
import { factOfAttempt } from './fact-of-attempt.js';
import { delayAfter, RETRY_DELAYS_MS } from './retry-policy.js';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const POLICY = { delaysMs: [5 * SECOND, 300 * SECOND] };

describe('a delivery', () => {
  it('succeeds', () => {
    const fact = { type: 'delivery.succeeded', data: { attempt: 1 } };
    expect(factAfter(1, { kind: 'succeeded' })).toEqual(fact);
  });

  it('is tried again five seconds after its first failure', () => {
    expect(factAfter(1, failure())).toEqual(failed(1, 5 * SECOND));
  });

  it('is exhausted when the schedule runs out', () => {
    const data = { attempt: 3, reason: 'timeout', gone: false };
    expect(factAfter(3, failure())).toEqual({ type: 'delivery.exhausted', data });
  });

  it('is exhausted at once when the receiver is gone', () => {
    const data = { attempt: 1, reason: 'gone_410', gone: true };
    expect(factAfter(1, { kind: 'gone' })).toEqual({ type: 'delivery.exhausted', data });
  });

  it('is tried again when the egress guard refused it, and refused when it did so at the last try', () => {
    const reason = 'url_private_address';
    const refused = { kind: 'refused', reason } as const;
    const again = { attempt: 1, reason, delayMs: 5 * SECOND };
    expect(factAfter(1, refused)).toEqual({ type: 'delivery.attempt_failed', data: again });
    const end = { type: 'delivery.refused', data: { attempt: 3, reason } };
    expect(factAfter(3, refused)).toEqual(end);
  });

  it('goes on in its schedule after an attempt that its owner asked for', () => {
    const report = { attempt: 2, unscheduled: 1, outcome: failure(), chance: 0 };
    expect(factOfAttempt(report, POLICY)).toEqual(failed(2, 5 * SECOND));
  });
});

describe('the wait before the next attempt', () => {
  it('follows the schedule of ten attempts', () => {
    const delays = [
      5 * SECOND,
      HOUR / 12,
      HOUR / 2,
      ...[2, 5, 10, 14, 20, 24].map((h) => h * HOUR),
    ];
    const attempts = delays.map((_, index) => index + 1);
    const after = (attempt: number) => delayAfter({ delaysMs: RETRY_DELAYS_MS }, attempt, 0, 0);
    expect(attempts.map(after)).toEqual(delays);
    expect(after(10)).toBeUndefined();
  });

  it('is stretched by at most a fifth and never shortened', () => {
    const policy = { delaysMs: [100 * SECOND] };
    expect(delayAfter(policy, 1, 0, 0.5)).toBe(110 * SECOND);
    expect(delayAfter(policy, 1, 0, 0.999_999)).toBeLessThanOrEqual(120 * SECOND);
  });

  it('obeys Retry-After when that is later than the schedule', () => {
    expect(factAfter(1, failure(60 * SECOND))).toEqual(failed(1, 60 * SECOND));
    expect(factAfter(1, failure(SECOND))).toEqual(failed(1, 5 * SECOND));
  });

  it('obeys Retry-After for no more than a day', () => {
    expect(factAfter(1, failure(48 * HOUR))).toEqual(failed(1, 24 * HOUR));
  });

  it('is that of the schedule or Retry-After, and at most a fifth more', () => {
    fc.assert(
      fc.property(delay, retryAfter, chance, (delayMs, retryAfterMs, drawn) => {
        const waitMs = delayAfter({ delaysMs: [delayMs] }, 1, retryAfterMs, drawn);
        const awaitedMs = Math.max(delayMs, Math.min(retryAfterMs, 24 * HOUR));
        expect(waitMs).toBeGreaterThanOrEqual(awaitedMs);
        expect(waitMs).toBeLessThanOrEqual(awaitedMs * 1.2);
      }),
    );
  });

  it('spreads what a receiver wants at one moment over the whole fifth', () => {
    fc.assert(
      fc.property(delay, retryAfter, (delayMs, retryAfterMs) => {
        const waits = TENTHS.map(
          (tenth) => delayAfter({ delaysMs: [delayMs] }, 1, retryAfterMs, tenth) ?? Number.NaN,
        );
        const [firstMs = Number.NaN] = waits;
        const stepMs = firstMs * 0.02;
        for (const [n, waitMs] of waits.entries()) {
          expect(Math.abs(waitMs - firstMs - n * stepMs)).toBeLessThanOrEqual(1);
        }
      }),
    );
  });
});

const delay = fc.integer({ min: SECOND, max: 24 * HOUR });
const retryAfter = fc.oneof(
  fc.integer({ min: 0, max: 48 * HOUR }),
  fc.constant(Number.POSITIVE_INFINITY),
);
const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const TENTHS = Array.from({ length: 10 }, (_, n) => n / 10);

function factAfter(attempt: number, outcome: AttemptOutcome): DeliveryEvent {
  return factOfAttempt({ attempt, outcome, chance: 0 }, POLICY);
}

function failure(retryAfterMs = 0): AttemptOutcome {
  return { kind: 'failed', reason: 'timeout', retryAfterMs };
}

function failed(attempt: number, delayMs: number): DeliveryEvent {
  return { type: 'delivery.attempt_failed', data: { attempt, reason: 'timeout', delayMs } };
}
