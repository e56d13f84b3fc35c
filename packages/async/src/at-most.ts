import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for the work, but at most `ms` milliseconds: work that hangs must not hold up a shutdown. */
export async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  const done = new AbortController();
  const limit = sleep(ms, undefined, { signal: done.signal }).catch(() => undefined);
  await Promise.race([work, limit]).finally(() => done.abort());
}
