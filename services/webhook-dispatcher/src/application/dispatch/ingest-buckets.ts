export interface IngestRate {
  readonly perSecond: number;
  readonly burst: number;
}

export const INGEST_RATE: IngestRate = { perSecond: 100, burst: 10_000 };

interface Bucket {
  tokens: number;
  atMs: number;
}

const BUCKETS_MAX = 100_000;

/**
 * How many events of one user go straight to their webhooks; what comes beyond that waits in the table,
 * which is worked off webhook by webhook. A full bucket and none are the same, so those are forgotten.
 *
 * @param monotonicMs milliseconds of a clock that never jumps
 */
export function ingestBuckets(
  { perSecond, burst }: IngestRate,
  monotonicMs: () => number,
): (userId: string) => boolean {
  const buckets = new Map<string, Bucket>();
  const filled = ({ tokens, atMs }: Bucket, nowMs: number): number =>
    Math.min(burst, tokens + ((nowMs - atMs) / 1_000) * perSecond);

  const forgetFull = (nowMs: number) => {
    for (const [userId, bucket] of buckets) {
      if (filled(bucket, nowMs) >= burst) buckets.delete(userId);
    }
  };

  return (userId) => {
    const nowMs = monotonicMs();
    const bucket = buckets.get(userId);
    const tokens = bucket ? filled(bucket, nowMs) : burst;
    if (tokens < 1) return false;
    if (bucket) {
      bucket.tokens = tokens - 1;
      bucket.atMs = nowMs;
      return true;
    }
    if (buckets.size >= BUCKETS_MAX) forgetFull(nowMs);
    if (buckets.size < BUCKETS_MAX) buckets.set(userId, { tokens: tokens - 1, atMs: nowMs });
    return true;
  };
}
