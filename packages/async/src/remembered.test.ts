import { expect, it } from '@jest/globals';
import { remembered } from './remembered.js';

it('an answer is fetched once for all callers at the same time, and again when it is old', async () => {
  let asked = 0;
  const fresh = remembered(60_000, async () => ++asked);
  expect(await Promise.all([fresh(), fresh()])).toEqual([1, 1]);
  expect(await fresh()).toBe(1);

  const old = remembered(0, async () => ++asked);
  expect([await old(), await old()]).toEqual([2, 3]);
});
