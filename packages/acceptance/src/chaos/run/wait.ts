import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_EVERY_MS = 100;

/** The work that a wait is for. */
export interface Left {
  /** Grows less with each progress. */
  readonly count: number;
  readonly inWords: string;
}

/**
 * Looks again and again until nothing is left, and then resolves with undefined. Resolves with a description of the
 * rest when the count has not become less for `stillMaxMs`. A look that rejects counts as no progress.
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
