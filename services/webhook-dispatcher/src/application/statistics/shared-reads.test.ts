import { describe, expect, it } from '@jest/globals';
import type { Span, StatisticsReads } from './ports.js';
import { sharedReads } from './shared-reads.js';

const NOW = new Date('2030-01-08T14:30:00Z');
const WEEK = { from: new Date('2030-01-01T14:30:00Z'), to: NOW };
const IDS = ['wh_1', 'wh_2'];

describe('statistics that several ask for', () => {
  it('are read once for those who ask at the same time, seconds apart included', async () => {
    const { shared, asked } = counting();
    await Promise.all([
      shared.hours(IDS, WEEK),
      shared.hours(IDS, { from: new Date(+WEEK.from + 999), to: new Date(+WEEK.to + 999) }),
      shared.unsent(IDS),
      shared.unsent(IDS),
    ]);
    expect(asked).toEqual([
      'hours 2030-01-01T15:00 2030-01-08T12:00',
      'hours 2030-01-08T12:00 2030-01-08T15:00',
      'unsent',
    ]);
  });

  it('are read anew for the last hours alone, and are the same as read in one', async () => {
    const { shared, asked } = counting();
    const first = await shared.hours(IDS, WEEK);
    expect(await shared.hours(IDS, WEEK)).toEqual(first);
    expect(first.map(({ hour }) => hour)).toEqual(hoursOf(WEEK));
    expect(asked).toHaveLength(3);
    expect(asked.at(-1)).toBe('hours 2030-01-08T12:00 2030-01-08T15:00');
  });

  it.each([
    ['12:04', '06:00'],
    ['12:05', '12:00'],
  ])(
    'count as over six hours at a time, when nothing is late any more: at %s to %s',
    async (at, over) => {
      const { shared, asked } = counting(new Date(`2030-01-08T${at}:00Z`));
      await shared.responses(IDS, { ...WEEK, to: new Date(`2030-01-08T${at}:00Z`), step: '6h' });
      expect(asked[0]).toBe(`responses 2030-01-01T15:00 2030-01-08T${over}`);
    },
  );

  it('are read by five minutes from the first that begins within the span', async () => {
    const { shared, asked } = counting();
    const from = new Date('2030-01-08T14:01:00Z');
    await shared.responses(IDS, { from, to: new Date('2030-01-08T14:31:00Z'), step: '5m' });
    expect(asked).toEqual(['responses 2030-01-08T14:05 2030-01-08T14:35']);
  });
});

const HOUR_MS = 3_600_000;

const hoursOf = ({ from, to }: Span): readonly Date[] => {
  const first = Math.ceil(from.getTime() / HOUR_MS) * HOUR_MS;
  const count = Math.ceil((to.getTime() - first) / HOUR_MS);
  return Array.from({ length: count }, (_, n) => new Date(first + n * HOUR_MS));
};

/** Reads that note what they are asked for, and hold something in every hour. */
function counting(now = NOW) {
  const asked: string[] = [];
  const minute = (at: Date) => at.toISOString().slice(0, 16);
  const note = (name: string, span?: Span) =>
    void asked.push([name, ...(span ? [minute(span.from), minute(span.to)] : [])].join(' '));
  const hour = { succeeded: 1, failed: 0, filtered: 0, latency: [] };
  const reads: StatisticsReads = {
    async hours(_, span) {
      note('hours', span);
      return hoursOf(span).map((at) => ({ ...hour, hour: at }));
    },
    async hoursOfEach(_, span) {
      note('each', span);
      return [];
    },
    async responses(_, span) {
      note('responses', span);
      return [];
    },
    async unsent() {
      note('unsent');
      return { waiting: 0, held: 0 };
    },
    unsentOfEach: async () => new Map(),
    marksOfEach: async () => new Map(),
    lastAttempts: async () => [],
  };
  return { shared: sharedReads(reads, () => now), asked };
}
