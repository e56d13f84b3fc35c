import { describe, expect, it } from '@jest/globals';
import { durationsInWords, secondsIn } from './durations.js';

describe('durations', () => {
  it.each([
    ['5 s, 5 min, 2 h, 1 d', [5, 300, 7_200, 86_400]],
    ['90 s', [90]],
    ['', []],
  ] as const)('%j in words', (words, seconds) => {
    expect(durationsInWords(seconds)).toBe(words);
  });

  it('are read as people write them', () => {
    expect(secondsIn('5, 10s,1 Min , 2h,1d, 3 sec')).toEqual([5, 10, 60, 7_200, 86_400, 3]);
  });

  it.each(['', '5 s,', 'soon', '5 weeks', '-1 s', '1.5 h'])('are not in %j', (text) => {
    expect(secondsIn(text)).toBeUndefined();
  });
});
