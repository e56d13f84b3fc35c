const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Milliseconds to wait after the 1st, 2nd, … failure. After the last of them the delivery is exhausted. */
export interface RetryPolicy {
  readonly delaysMs: readonly number[];
}

/** Delays of ten attempts in about three days. */
export const RETRY_DELAYS_MS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
] as const;

const RETRY_AFTER_MAX_MS = 24 * HOUR;
const JITTER = 0.2;

/**
 * Returns the milliseconds until the next attempt, or undefined when `attempt` was the last: as long as the schedule
 * says, or as the receiver's Retry-After, up to 24 hours, when that is longer. Jitter only ever adds (0 to 20 %), to
 * Retry-After too, since a receiver names the same moment to all.
 *
 * @param chance 0 (inclusive) to 1 (exclusive), uniformly distributed
 */
export function delayAfter(
  { delaysMs }: RetryPolicy,
  attempt: number,
  retryAfterMs: number,
  chance: number,
): number | undefined {
  const delayMs = delaysMs[attempt - 1];
  if (delayMs === undefined) return undefined;
  const baseMs = Math.max(delayMs, Math.min(retryAfterMs, RETRY_AFTER_MAX_MS));
  return baseMs + Math.floor(baseMs * JITTER * chance);
}
