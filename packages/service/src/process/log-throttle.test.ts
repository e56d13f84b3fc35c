import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { logThrottle } from './log-throttle.js';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

it('the same is said once a minute, with how often it was not said, and anything else at once', () => {
  const throttled = logThrottle();
  const said: [string, number][] = [];
  const happens = (reason: string) => throttled(reason, (times) => void said.push([reason, times]));
  for (let n = 0; n < 500; n++) happens('a');
  jest.advanceTimersByTime(60_000);
  happens('a');
  happens('a');
  happens('b');
  expect(said).toEqual([
    ['a', 0],
    ['a', 499],
    ['b', 0],
  ]);
});
