import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bucketOf, LATENCY_BUCKETS, percentiles, sumCounts } from './latency.js';

describe('a percentile', () => {
  it('is at most a half octave from the true one', () => {
    const durations = fc.array(fc.double({ min: 1.001, max: 60_000, noNaN: true }), {
      minLength: 1,
      maxLength: 200,
    });
    fc.assert(
      fc.property(durations, fc.constantFrom(0.5, 0.9, 0.99), (all, share) => {
        const sorted = all.toSorted((a, b) => a - b);
        const exact = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
        const [told = Number.NaN] = percentiles(counted(all), [share]) ?? [];
        expect(Math.abs(Math.log2(told / exact))).toBeLessThanOrEqual(0.5 + 1e-9);
      }),
    );
  });

  it.each([
    [0.1, 0],
    [1, 0],
    [1.1, 1],
    [1e9, LATENCY_BUCKETS - 1],
  ])('counts %d ms in bucket %i', (ms, bucket) => {
    expect(bucketOf(ms)).toBe(bucket);
  });

  it('lies on a straight line through its bucket, the first of which begins at 0', () => {
    expect(percentiles(counted([1, 1, 1, 1]), [0.25, 0.5, 0.5, 1])).toEqual([0.25, 0.5, 0.5, 1]);
    expect(percentiles(counted([4, 4]), [0])?.[0]).toBeCloseTo(Math.SQRT2 * 2);
  });

  it('is undefined when nothing was counted', () => {
    expect(percentiles(counted([]), [0.5])).toBeUndefined();
  });

  it('ends where the last bucket ends, however long something took', () => {
    for (const ms of percentiles(counted([1e9]), [1, 1.1]) ?? []) expect(ms).toBeCloseTo(2 ** 16.5);
    expect.assertions(2);
  });

  it('is the same whether the counts are added up or counted at once', () => {
    const together = sumCounts([counted([3, 5, 900]), counted([12, 15_000])]);
    expect(together).toEqual(counted([3, 5, 900, 12, 15_000]));
  });
});

const counted = (durations: readonly number[]): readonly number[] => {
  const counts = Array.from({ length: LATENCY_BUCKETS }, () => 0);
  for (const ms of durations) counts[bucketOf(ms)] = (counts[bucketOf(ms)] ?? 0) + 1;
  return counts;
};
