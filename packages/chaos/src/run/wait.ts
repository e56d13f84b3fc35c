import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_EVERY_MS = 100;

/** What is waited for. */
export interface Left {
  /** Of what there is still to be done: less of it is progress. */
  readonly count: number;
  readonly inWords: string;
}

/**
 * Undefined once `look` gives undefined. What it says, in words, after so many milliseconds in which nothing became less:
 * as long as something does, it is waited for. Trouble meanwhile is waited out, and is no progress.
 */
export async function waitUntil(
  stillMaxMs: number,
  signal: AbortSignal,
  look: () => Promise<Left | undefined>,
): Promise<string | undefined> {
  let fewest = Number.POSITIVE_INFINITY;
  for (let end = performance.now() + stillMaxMs; ; ) {
    const left = await look().catch(inTrouble);
    if (left === undefined) return undefined;
    if (left.count < fewest) end = performance.now() + stillMaxMs;
    fewest = Math.min(fewest, left.count);
    if (performance.now() > end) return left.inWords;
    await sleep(LOOK_EVERY_MS, undefined, { signal });
  }
}

const inTrouble = (error: unknown): Left => ({
  count: Number.POSITIVE_INFINITY,
  inWords: String(error),
});
