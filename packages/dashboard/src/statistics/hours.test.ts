import { describe, expect, it } from '@jest/globals';
import { everyHour, firstHour, percentWords } from './hours.js';

const item = (hour: string, succeeded: number, failed: number) => ({
  hour,
  succeeded,
  failed,
  attempts: succeeded + failed,
  filtered: 0,
  success_rate: null,
  latency_ms: { p50: null, p90: null, p95: null, p99: null },
});

describe('the hours of statistics', () => {
  it('begin with a whole hour and end with the one of now', () => {
    expect(firstHour(new Date('2030-01-02T12:34:56Z'), 24)).toEqual(
      new Date('2030-01-01T13:00:00Z'),
    );
  });

  it('are all there, also those without an attempt', () => {
    const from = '2030-01-02T09:00:00.000Z';
    const items = [item('2030-01-02T10:00:00.000Z', 3, 1), item('2030-01-02T11:00:00Z', 0, 2)];
    expect(
      everyHour({ from, items }, 4).map(({ at, ...counts }) => [at.getUTCHours(), counts]),
    ).toEqual([
      [9, { succeeded: 0, failed: 0 }],
      [10, { succeeded: 3, failed: 1 }],
      [11, { succeeded: 0, failed: 2 }],
      [12, { succeeded: 0, failed: 0 }],
    ]);
  });
});

describe('a success rate', () => {
  it.each([
    [1, '100%'],
    [0.9999, '99.9%'],
    [0.5, '50%'],
    [0, '0%'],
  ])('of %d is %s', (share, words) => {
    expect(percentWords(share)).toBe(words);
  });
});
