import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_EVERY_MS = 100;

/** The work that a wait is for. */
export interface Left {
  /** Grows less with each progress. */
  readonly count: number;
  readonly inWords: string;
}

/**
 * Looks until nothing is left, and resolves with undefined then; or with what is left, in words, once nothing has become
 * less for so many milliseconds. A look that rejects is no progress, and is waited out.
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
