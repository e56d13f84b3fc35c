import { expect, it, jest } from '@jest/globals';
import { briefly, slices } from './slices.js';

it('work rests for three times as long once its pieces took some milliseconds', async () => {
  let nowMs = 0;
  const rests: number[] = [];
  const between = slices(
    () => nowMs,
    async (ms) => {
      rests.push(ms);
      nowMs += ms;
    },
  );
  for (const pieceMs of [1, 0.5, 1, 14, 1]) {
    nowMs += pieceMs;
    await between();
  }
  expect(rests).toEqual([7.5, 42]);
});

it('brief work gives others their turn after some milliseconds, and begins in the turn of its caller', async () => {
  const clock = jest.spyOn(performance, 'now');
  const order: string[] = [];
  let nowMs = 0;
  clock.mockImplementation(() => (nowMs += 1));
  const work = () => order.push('work') < 6;
  setImmediate(() => order.push('other'));
  const done = briefly(work, () => order.push('turn'));
  expect(order).toEqual(['work', 'work', 'turn']);
  await done;
  clock.mockRestore();
  expect(order).toEqual(['work', 'work', 'turn', 'other', 'work', 'work', 'turn']);
});
