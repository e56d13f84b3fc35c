import { describe, expect, it } from '@jest/globals';
import { backoffMs, REFRESH_BACKOFF, REJECTED_BACKOFF, REVOCATION_BACKOFF } from './backoff.js';

const POLICY = { firstMs: 1_000, longestMs: 300_000 };

describe('the rest after a failure', () => {
  it('doubles with each failure', () => {
    expect([1, 2, 3, 4].map((failures) => backoffMs(POLICY, failures, 1))).toEqual([
      1_000, 2_000, 4_000, 8_000,
    ]);
  });

  it('is spread over the upper half', () => {
    expect(backoffMs(POLICY, 3, 0)).toBe(2_000);
    expect(backoffMs(POLICY, 3, 0.5)).toBe(3_000);
  });

  it('has an end', () => {
    expect(backoffMs(POLICY, 1_000, 1)).toBe(300_000);
  });

  it('is as long as the provider asked for', () => {
    expect(backoffMs(POLICY, 1, 1, 30_000)).toBe(30_000);
    expect(backoffMs(POLICY, 1, 1, 3_600_000)).toBe(3_600_000);
  });

  it.each([
    ['a refresh', REFRESH_BACKOFF, 1_000, 300_000],
    ['a refresh that was turned down', REJECTED_BACKOFF, 60_000, 3_600_000],
    ['a revocation', REVOCATION_BACKOFF, 1_000, 600_000],
  ])('has bounds of its own after %s', (_, policy, firstMs, longestMs) => {
    expect([1, 1_000].map((failures) => backoffMs(policy, failures, 1))).toEqual([
      firstMs,
      longestMs,
    ]);
  });
});
