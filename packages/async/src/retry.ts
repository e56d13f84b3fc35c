import { backoffMs } from './backoff.js';
import { pause } from './pause.js';

export interface RetryOptions {
  /** Errors that another attempt may mend. Absent: all. */
  readonly isRetryable?: (error: unknown) => boolean;
  /** Attempts at most, the first one included. Absent: no limit. */
  readonly attemptsMax?: number;
  /** No attempt begins later than so many milliseconds after the first. Absent: no limit. */
  readonly withinMs?: number;
  /** Milliseconds to wait after the 1st, 2nd, … failure. Absent: `backoffMs`. */
  readonly delayMs?: (failures: number) => number;
  /** Called before each pause. */
  readonly onFailure?: (error: unknown, failures: number) => void;
  /** When the signal is aborted, `retry` rejects with the signal's reason instead of trying again. */
  readonly signal?: AbortSignal;
  /** Monotonic milliseconds, for `withinMs`. */
  readonly clock?: () => number;
}

/**
 * Runs `work` until it succeeds, and resolves with its result. Rejects with the last error when that is
 * not retryable or a limit is reached.
 */
export async function retry<T>(
  work: (attempt: number) => Promise<T>,
  options: RetryOptions = {},
): Promise<T> {
  const { isRetryable = () => true, attemptsMax = Number.POSITIVE_INFINITY, signal } = options;
  const { delayMs = backoffMs, withinMs = Number.POSITIVE_INFINITY, onFailure } = options;
  const { clock = () => performance.now() } = options;
  const endMs = clock() + withinMs;

  for (let attempt = 1; ; attempt++) {
    try {
      return await work(attempt);
    } catch (error) {
      signal?.throwIfAborted();
      const waitMs = delayMs(attempt);
      if (attempt >= attemptsMax || !isRetryable(error) || clock() + waitMs > endMs) throw error;
      onFailure?.(error, attempt);
      await pause(waitMs, signal);
      signal?.throwIfAborted();
    }
  }
}
