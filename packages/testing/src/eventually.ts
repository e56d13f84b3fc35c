import { setTimeout as sleep } from 'node:timers/promises';

/** Deadline beyond the half minute for which a busy machine may stand still. A check that holds is seen at once. */
const DEADLINE_MS = 45_000;
const POLL_MS = 20;

/**
 * Runs `check` until it does not throw, and gives what it returned. After the deadline the last
 * failure is thrown, so a failing expectation reads as if it stood alone.
 */
export async function eventually<T>(
  check: () => T | Promise<T>,
  { deadlineMs = DEADLINE_MS, pollMs = POLL_MS }: { deadlineMs?: number; pollMs?: number } = {},
): Promise<T> {
  const end = Date.now() + deadlineMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() >= end) throw error;
    }
    await sleep(pollMs);
  }
}
