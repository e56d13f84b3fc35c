import { describe, expect, it } from '@jest/globals';
import { barsOf, firstStep, groupsOf, percentWords, type StepCount, topOf } from './steps.js';

const step = (at: string, kind: string, response: StepCount['response'], attempts: number) => ({
  at,
  event_type: kind,
  response,
  attempts,
});

describe('the bars of a chart', () => {
  const from = new Date('2030-01-02T11:35:00Z');
  const steps = [
    step('2030-01-02T11:40:00.000Z', 'draft.created', '5xx', 1),
    step('2030-01-02T11:40:00.000Z', 'draft.created', '2xx', 3),
    step('2030-01-02T12:30:00.000Z', 'meeting.joined', 'none', 2),
  ];

  it('begin so that the last of them is that of now', () => {
    expect(firstStep(new Date('2030-01-02T12:34:56Z'), '1h')).toEqual(from);
  });

  it('are all there, those without an attempt too', () => {
    const bars = barsOf(steps, { from, range: '1h', by: 'response' });
    expect(groupsOf(steps, 'response')).toEqual(['none', '5xx', '2xx']);
    expect(bars).toHaveLength(12);
    expect(bars.at(0)?.counts).toEqual([0, 0, 0]);
    expect(bars.at(1)?.counts).toEqual([0, 1, 3]);
    expect(bars.at(-1)).toEqual({ at: new Date('2030-01-02T12:30:00Z'), counts: [2, 0, 0] });
  });

  it('begin where there are attempts, and are a dozen at least', () => {
    const options = { from, range: '24h', by: 'response' } as const;
    const bars = (at: string) =>
      barsOf(
        steps.slice(0, 1).map((step) => ({ ...step, at })),
        options,
      ).length;
    expect(bars(new Date(from.getTime() + 5 * 3_600_000).toISOString())).toBe(19);
    expect(bars(new Date(from.getTime() + 23 * 3_600_000).toISOString())).toBe(12);
  });

  it('are grouped by kind as well', () => {
    const bars = barsOf(steps, { from, range: '1h', by: 'event_type' });
    expect(groupsOf(steps, 'event_type')).toEqual(['draft.created', 'meeting.joined']);
    expect(bars.at(1)?.counts).toEqual([4, 0]);
  });

  it.each([
    [0, 1],
    [1, 1],
    [3, 4],
    [11, 20],
    [51, 60],
    [100, 100],
  ])('stand, for at most %d, on an axis up to %d', (most, top) => {
    expect(topOf(most)).toBe(top);
  });
});

describe('a success rate', () => {
  it.each([
    [1, '100%'],
    [0.9999, '99.9%'],
    [0.5, '50%'],
    [0, '0%'],
  ])('is shown for %d as %s', (share, words) => {
    expect(percentWords(share)).toBe(words);
  });
});
