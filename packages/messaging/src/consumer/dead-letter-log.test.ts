import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type { Log } from '@junction/kafka';
import type { DeadLetter } from '../dead-letters/dead-letter.js';
import { deadLetterLog } from './dead-letter-log.js';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

it('a flood of dead letters is one line at once, and one a second after it', () => {
  const lines: object[] = [];
  const letters = deadLetterLog(logTo(lines));
  letters.add([letter(1n, 'a')]);
  expect(lines).toEqual([
    { ...IN, count: 1, reasons: { a: 1 }, first: { id: '1', partition: 3, offset: '1' } },
  ]);
  for (let n = 2n; n <= 1_000n; n++) letters.add([letter(n, n % 4n === 0n ? 'b' : 'a')]);
  expect(lines).toHaveLength(1);
  jest.advanceTimersByTime(1_000);
  expect(lines.slice(1)).toMatchObject([{ count: 999, reasons: { a: 749, b: 250 } }]);

  letters.add([letter(2_000n, 'a')]);
  expect(lines).toHaveLength(2);
  letters.end();
  expect(lines.slice(2)).toMatchObject([{ count: 1 }]);
  expect(jest.getTimerCount()).toBe(0);
});

const IN = { consumer: 'c', topic: 't' };

const letter = (offset: bigint, code: string): DeadLetter => ({
  ...IN,
  id: `${offset}`,
  partition: 3,
  offset,
  key: undefined,
  userId: undefined,
  reason: { code, text: '' },
});

const logTo = (lines: object[]): Log => ({
  debug() {},
  info() {},
  warn() {},
  error: (fields) => void lines.push(fields),
});
