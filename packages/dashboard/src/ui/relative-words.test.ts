import { describe, expect, it } from '@jest/globals';
import { durationWords, relativeWords } from './relative-words.js';

const NOW = new Date('2026-01-02T12:00:00.000Z');

describe('a time in words', () => {
  it.each([
    [0, 'just now'],
    [-2, 'just now'],
    [2, 'in a moment'],
    [0.1, 'in a moment'],
    [-3, '3 seconds ago'],
    [5, 'in 5 seconds'],
    [59, 'in 59 seconds'],
    [60, 'in 1 minute'],
    [-119, '1 minute ago'],
    [-3_600, '1 hour ago'],
    [2 * 86_400, 'in 2 days'],
  ])('%d s from now is %s', (seconds, words) => {
    expect(relativeWords(new Date(NOW.getTime() + seconds * 1_000), NOW)).toBe(words);
  });
});

describe('a duration in words', () => {
  it.each([
    [0, '0 ms'],
    [34.6, '35 ms'],
    [1_000, '1.0 s'],
    [15_004, '15.0 s'],
  ])('%d ms is %s', (ms, words) => {
    expect(durationWords(ms)).toBe(words);
  });
});
