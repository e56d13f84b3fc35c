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
 * Returns the milliseconds below which each of these shares (0 to 1, ascending) of the counted durations lies, on a
 * straight line through the bucket that contains them. Undefined: nothing was counted.
 */
export function percentiles(
  counts: readonly number[],
  shares: readonly number[],
): readonly number[] | undefined {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return undefined;
  let bucket = 0;
  let below = 0;
  return shares.map((share) => {
    const rank = share * total;
    for (; bucket < counts.length; bucket++) {
      const count = counts[bucket] ?? 0;
      if (count > 0 && below + count >= rank) {
        const from = bucket === 0 ? 0 : endOf(bucket - 1);
        return from + (endOf(bucket) - from) * ((rank - below) / count);
      }
      below += count;
    }
    return endOf(BUCKETS - 1);
  });
}

/** Adds the counts of histograms. */
export function sumCounts(all: Iterable<readonly number[]>): readonly number[] {
  const sum = Array.from({ length: BUCKETS }, () => 0);
  for (const counts of all) {
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      sum[bucket] = (sum[bucket] ?? 0) + (counts[bucket] ?? 0);
    }
  }
  return sum;
}
