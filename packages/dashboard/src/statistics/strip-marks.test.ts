import { describe, expect, it } from '@jest/globals';
import { stripPaths, stripWords } from './strip-marks.js';

describe('a strip', () => {
  it('ends with the newest attempt at its right end', () => {
    expect(stripPaths('12')).toEqual({ succeeded: 'M265 24v-5M268 24v-7', failed: '' });
  });

  it('tells an answer that was no success from none by its shape', () => {
    expect(stripPaths('x!').failed).toBe('M265 24v-24M268 24v-9m0-6v-9');
  });

  it.each([
    ['', 'No attempts yet'],
    ['3', 'Last attempt: it succeeded.'],
    ['11x2!', 'Last 5 attempts: 3 succeeded, 2 failed. The last one failed.'],
  ])('with the marks %j says: %s', (marks, words) => {
    expect(stripWords(marks)).toBe(words);
  });
});
