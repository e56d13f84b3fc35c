import { describe, expect, it } from '@jest/globals';
import { markWords, stripPaths, stripWords } from './strip-marks.js';

describe('a strip', () => {
  it('ends with the newest attempt at its right end', () => {
    expect(stripPaths('12')).toEqual({ succeeded: 'M265 24v-24M268 24v-24', failed: '' });
  });

  it('tells an answer that was no success from none by its shape', () => {
    expect(stripPaths('x!').failed).toBe('M265 24v-14m0-5v-5M268 24v-5m0-4v-6m0-4v-5');
  });

  it('says of each mark what it stands for', () => {
    expect([86, 87, 88, 89].map((step) => markWords('3x!', step))).toEqual([
      undefined,
      '3 attempts ago: accepted',
      '2 attempts ago: an answer that was no success',
      'The last attempt: no answer',
    ]);
  });

  it.each([
    ['', 'No attempts yet'],
    ['3', 'Last attempt: it succeeded.'],
    ['11x2!', 'Last 5 attempts: 3 succeeded, 2 failed. The last one failed.'],
  ])('with the marks %j says: %s', (marks, words) => {
    expect(stripWords(marks)).toBe(words);
  });
});
