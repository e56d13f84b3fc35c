import { setImmediate } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { searchRoom } from './search-room.js';

it('searches of one user go one at a time, and leave a place for those of others', async () => {
  const { search, running, endOne } = room();
  const all = [search('ada'), search('ada'), search('ada'), search('grace'), search('linus')];
  await setImmediate();
  expect(running).toEqual(['ada', 'grace']);
  for (let n = 0; n < all.length; n++) {
    endOne();
    await setImmediate();
    expect(running.length).toBeLessThanOrEqual(2);
    expect(running.filter((one) => one === 'ada').length).toBeLessThanOrEqual(1);
  }
  await Promise.all(all);
});

it('more searches of one user than may wait are refused, and none of others', async () => {
  const { search, endOne } = room();
  const waiting = Array.from({ length: 4 }, () => search('ada'));
  await expect(search('ada')).rejects.toMatchObject({ code: 'too_busy' });
  const other = search('grace');
  for (let n = 0; n < waiting.length + 1; n++) {
    await setImmediate();
    endOne();
  }
  await Promise.all([...waiting, other]);
});

function room() {
  const within = searchRoom();
  const running: string[] = [];
  const ends: (() => void)[] = [];
  const search = (userId: string) =>
    within(userId, async () => {
      running.push(userId);
      await new Promise<void>((resolve) => ends.push(resolve));
      running.splice(running.indexOf(userId), 1);
    });
  return { search, running, endOne: () => ends.shift()?.() };
}
