import { expect, it } from '@jest/globals';
import { trendOf } from './trend.js';

const inWords = (ms: number) => `${Math.round(ms)} ms`;
const directions = ['slower', 'faster'] as const;

it.each([
  [20, 16, true, { words: '4 ms slower than the day before', isWorse: true }],
  [16, 20, true, { words: '4 ms faster than the day before', isWorse: false }],
  [16, 20, false, { words: '4 ms faster than the day before', isWorse: true }],
  [16.2, 16, true, { words: 'as on the day before', isWorse: false }],
  [null, 16, true, undefined],
  [16, null, true, undefined],
])('%j after %j, where rising is bad: %j', (today, before, isRiseBad, trend) => {
  expect(trendOf({ today, before, inWords, directions, isRiseBad })).toEqual(trend);
});
