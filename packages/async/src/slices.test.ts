import { expect, it } from '@jest/globals';
import { slices } from './slices.js';

it('work rests for as long as its pieces took, once they took some milliseconds', async () => {
  let nowMs = 0;
  const rests: number[] = [];
  const between = slices(
    () => nowMs,
    async (ms) => {
      rests.push(ms);
      nowMs += ms;
    },
  );
  for (const pieceMs of [2, 2, 2, 14, 1]) {
    nowMs += pieceMs;
    await between();
  }
  expect(rests).toEqual([6, 14]);
});
