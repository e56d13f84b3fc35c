import { setImmediate as nextTurn } from 'node:timers/promises';
import { pause } from './pause.js';

/** Milliseconds for which costly work has the thread at a time. */
const SLICE_MS = 2;
/** Rest of work that others should hardly notice, as a multiple of what it took. */
const REST = 3;

/**
 * Returns a function to be awaited between the pieces of costly work that may take its time. Once the pieces since the
 * last rest took a few milliseconds, it rests for three times as long: whoever shares the thread has most of it.
 */
export function slices(
  clock: () => number = () => performance.now(),
  rest: (ms: number) => Promise<unknown> = pause,
) {
  let begunMs = clock();
  return async (): Promise<void> => {
    const tookMs = clock() - begunMs;
    if (tookMs < SLICE_MS) return;
    await rest(REST * tookMs);
    begunMs = clock();
  };
}

/**
 * Calls `work` until it returns false, for a few milliseconds in each turn of the event loop: whatever else is ready
 * has its turn between. Calls `turnEnded` after the last call of each turn. The first turn is the caller's.
 */
export async function briefly(work: () => boolean, turnEnded: () => void): Promise<void> {
  let begunMs = performance.now();
  while (work()) {
    if (performance.now() - begunMs < SLICE_MS) continue;
    turnEnded();
    await nextTurn();
    begunMs = performance.now();
  }
  turnEnded();
}
