import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for it, but no longer than this: what hangs does not keep a shutdown waiting. */
export async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  const done = new AbortController();
  const limit = sleep(ms, undefined, { signal: done.signal }).catch(() => undefined);
  await Promise.race([work, limit]).finally(() => done.abort());
}
