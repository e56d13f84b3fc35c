import { expect, it } from '@jest/globals';
import { mean, median, quantile } from '../statistics.js';
import { answerMs, meanAnswerMs } from './answer-times.js';

it('the times of answers have the median that is asked for, the mean that is computed, and a late one in a hundred', () => {
  const times = Array.from({ length: 100_000 }, () => answerMs(200));
  expect(median(times) / 200).toBeCloseTo(1, 1);
  expect(mean(times) / meanAnswerMs(200)).toBeCloseTo(1, 1);
  expect(quantile(times, 0.985)).toBeLessThan(500);
  expect(quantile(times, 0.995)).toBe(2_000);
});
