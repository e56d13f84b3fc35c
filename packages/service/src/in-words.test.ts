import { expect, it } from '@jest/globals';
import { inWords } from './in-words.js';

it.each([
  [1, '1 seconds'],
  [119, '119 seconds'],
  [121, '3 minutes'],
  [7_199, '120 minutes'],
  [7_200, '2 hours'],
  [3 * 86_400, '3 days'],
])('%d seconds are %s', (seconds, words) => {
  expect(inWords(seconds)).toBe(words);
});
