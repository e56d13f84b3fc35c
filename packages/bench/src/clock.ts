import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds since 1970 that are the same in all processes of this machine, with their fractions. */
export const nowMs = (): number => performance.timeOrigin + performance.now();

export interface Patience {
  readonly deadlineMs: number;
  readonly everyMs?: number;
  readonly signal: AbortSignal;
}

/** Waits until `look` gives something, and gives that. Throws when it takes too long. */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined>,
  { deadlineMs, everyMs = 20, signal }: Patience,
): Promise<T> {
  const endMs = nowMs() + deadlineMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (nowMs() > endMs) throw new Error(`${what} took longer than ${deadlineMs / 1_000} s.`);
    await sleep(everyMs, undefined, { signal });
  }
}
