/**
 * Buckets per doubling: each ends half an octave above the one before, so that a percentile is off by a fifth at most.
 */
const STEPS_PER_OCTAVE = 2;
const BUCKETS = 34;

/** Number of buckets of a histogram. The last bucket holds whatever took longer than some 90 s. */
export const LATENCY_BUCKETS = BUCKETS;

/** Returns the milliseconds at which a bucket ends: 1, 1.4, 2, 2.8, 4, … */
const endOf = (bucket: number): number => 2 ** (bucket / STEPS_PER_OCTAVE);

/** Returns the bucket in which a duration in milliseconds is counted. */
export const bucketOf = (ms: number): number =>
  ms <= 1 ? 0 : Math.min(BUCKETS - 1, Math.ceil(Math.log2(ms) * STEPS_PER_OCTAVE));

/**
 * Returns the milliseconds below which `share` (0 to 1) of the counted durations lie, on a straight line through the
 * bucket that contains them. Undefined: nothing was counted.
 */
export function percentile(counts: readonly number[], share: number): number | undefined {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return undefined;
  const rank = share * total;
  let below = 0;
  for (const [bucket, count] of counts.entries()) {
    if (count > 0 && below + count >= rank) {
      const from = bucket === 0 ? 0 : endOf(bucket - 1);
      return from + (endOf(bucket) - from) * ((rank - below) / count);
    }
    below += count;
  }
  return endOf(BUCKETS - 1);
}

/** Adds the counts of two histograms. */
export const addCounts = (some: readonly number[], others: readonly number[]): readonly number[] =>
  Array.from({ length: BUCKETS }, (_, bucket) => (some[bucket] ?? 0) + (others[bucket] ?? 0));
