import { describe, expect, it } from '@jest/globals';
import { retryAfterMs } from './retry-after.js';

const NOW = Date.parse('2030-01-01T00:00:00Z');

describe('Retry-After', () => {
  it.each([
    ['120', 120_000],
    ['0', 0],
    ['99999999999', 99_999_999_999_000],
    ['9'.repeat(400), Number.POSITIVE_INFINITY],
    ['Tue, 01 Jan 2030 00:01:00 GMT', 60_000],
    ['Mon, 31 Dec 2029 23:59:00 GMT', 0],
    ['Tuesday, 01-Jan-30 00:01:00 GMT', 60_000],
    ['Tue Jan  1 00:01:00 2030', 60_000],
    ['2030-01-01T00:01:00Z', 60_000],
    [' \t120\t ', 120_000],
    ['\tTue, 01 Jan 2030 00:01:00 GMT ', 60_000],
    [['5', '120', '60'], 120_000],
    [['soon', 'Tue, 01 Jan 2030 00:01:00 GMT'], 60_000],
    ['5, 120', 120_000],
    ['soon', 0],
    ['soon 2050', 0],
    ['2050', 2_050_000],
    ['Tue, 99 Jan 2050 00:01:00 GMT', 0],
    ['-5', 0],
    ['', 0],
    [[], 0],
    [undefined, 0],
  ])('%j means %d ms', (value, ms) => {
    expect(retryAfterMs(value, NOW)).toBe(ms);
  });
});
