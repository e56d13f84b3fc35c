import { expect, it } from '@jest/globals';
import { briefSlices, slices } from './slices.js';

it.each([slices, briefSlices])(
  'work rests once its pieces took some milliseconds',
  async (made) => {
    let nowMs = 0;
    const rests: number[] = [];
    const between = made(
      () => nowMs,
      async (tookMs) => {
        rests.push(tookMs);
        nowMs += 100;
      },
    );
    for (const pieceMs of [1, 0.5, 1, 14, 1]) {
      nowMs += pieceMs;
      await between();
    }
    expect(rests).toEqual([2.5, 14]);
  },
);
