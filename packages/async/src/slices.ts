import { setImmediate as nextTurn } from 'node:timers/promises';
import { pause } from './pause.js';

/** Milliseconds for which costly work has the thread at a time. */
const SLICE_MS = 2;
/** Rest of work that others should hardly notice, as a multiple of what it took. */
const REST = 3;

/** Rest between two slices: resolves when the work may go on, which took so many milliseconds. */
type Rest = (tookMs: number) => Promise<unknown>;

/**
 * Returns a function to be awaited between the pieces of costly work that may take its time. Once the pieces since the
 * last rest took a few milliseconds, it rests for three times as long: whoever shares the thread has most of it.
 */
export const slices = (clock?: () => number, rest: Rest = (tookMs) => pause(REST * tookMs)) =>
  sliced(rest, clock);

/**
 * Returns the same for work that others wait for as well: it goes on as soon as all that was ready meanwhile has had
 * its turn.
 */
export const briefSlices = (clock?: () => number, rest: Rest = () => nextTurn()) =>
  sliced(rest, clock);

function sliced(rest: Rest, clock: () => number = () => performance.now()) {
  let begunMs = clock();
  return async (): Promise<void> => {
    const tookMs = clock() - begunMs;
    if (tookMs < SLICE_MS) return;
    await rest(tookMs);
    begunMs = clock();
  };
}
