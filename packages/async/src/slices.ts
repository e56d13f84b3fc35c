import { pause } from './pause.js';

/** Milliseconds for which costly work has the thread at a time. */
const SLICE_MS = 5;

/**
 * Returns a function to be awaited between the pieces of costly work. Once the pieces since the last rest took a few
 * milliseconds, it rests for as long as they took: whoever shares the thread has half of it at least.
 */
export function slices(clock: () => number = () => performance.now(), rest = pause) {
  let begunMs = clock();
  return async (): Promise<void> => {
    const tookMs = clock() - begunMs;
    if (tookMs < SLICE_MS) return;
    await rest(tookMs);
    begunMs = clock();
  };
}
