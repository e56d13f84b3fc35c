import type { Answer } from '../api/types.js';

export type Statistics = Answer<'/api/webhooks/stats', 'get'>;
export type StepCount = NonNullable<Statistics['steps']>[number];

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Spans of a chart that end now, each with the width of a bar. */
export const RANGES = {
  '1h': { label: '1 h', words: 'Last hour', step: '5m', stepMs: 5 * MINUTE_MS, bars: 12 },
  '24h': { label: '24 h', words: 'Last 24 hours', step: '1h', stepMs: HOUR_MS, bars: 24 },
  '7d': { label: '7 d', words: 'Last 7 days', step: '6h', stepMs: 6 * HOUR_MS, bars: 28 },
  '30d': { label: '30 d', words: 'Last 30 days', step: '6h', stepMs: 6 * HOUR_MS, bars: 120 },
} as const;

export type Range = keyof typeof RANGES;

/** Attempts of a bar are grouped by the class of their response, or by their kind of event. */
export type Grouping = 'response' | 'event_type';

export interface Bar {
  readonly at: Date;
  /** Attempts of each group, in the order of the groups. */
  readonly counts: readonly number[];
}

/** Responses from the bottom of a bar to its top: failures stay on one line, where they can be compared. */
const RESPONSES = ['none', '5xx', '4xx', '3xx', '2xx'];

/** Returns when the first bar of a range began; the last one is that of now. */
export function firstStep(now: Date, range: Range): Date {
  const { stepMs, bars } = RANGES[range];
  return new Date((Math.floor(now.getTime() / stepMs) - bars + 1) * stepMs);
}

/** Returns the groups that occur: responses in their order, kinds by name. */
export function groupsOf(steps: readonly StepCount[], by: Grouping): readonly string[] {
  const found = [...new Set<string>(steps.map((step) => step[by]))];
  return by === 'response'
    ? RESPONSES.filter((response) => found.includes(response))
    : found.toSorted();
}

/** Bars that a chart has at least, so that few attempts make no wide ones. */
const BARS_MIN = 12;

/** Returns the bars of the range from the first that has attempts, the oldest first. The API leaves out empty steps. */
export function barsOf(
  steps: readonly StepCount[],
  { from, range, by }: { readonly from: Date; readonly range: Range; readonly by: Grouping },
): readonly Bar[] {
  const groups = groupsOf(steps, by);
  const { stepMs, bars } = RANGES[range];
  const all = Array.from({ length: bars }, (_, index) => ({
    at: new Date(from.getTime() + index * stepMs),
    counts: groups.map(() => 0),
  }));
  for (const step of steps) {
    const bar = all[Math.floor((Date.parse(step.at) - from.getTime()) / stepMs)];
    const group = groups.indexOf(step[by]);
    if (bar) bar.counts[group] = (bar.counts[group] ?? 0) + step.attempts;
  }
  const first = all.findIndex((bar) => sum(bar.counts) > 0);
  return all.slice(Math.max(0, Math.min(first, all.length - BARS_MIN)));
}

export const sum = (counts: readonly number[]): number =>
  counts.reduce((total, count) => total + count, 0);

/** Returns the top of the axis: 1, 2, 4, 6, 10, 20, 40 and so on, no lower than the highest bar. */
export function topOf(most: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, most)));
  return [1, 2, 4, 6, 10].map((factor) => factor * power).find((top) => top >= most) ?? most;
}

/** `99.4%`, never rounded up to 100% where something failed. */
export const percentWords = (share: number): string => `${Math.floor(share * 1_000) / 10}%`;

const TIME = new Intl.DateTimeFormat('en', {
  weekday: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});
const DAY = new Intl.DateTimeFormat('en', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});

/** `Wed 07:00`, `3 Nov, 07:00`: when a bar began, in the reader's time zone. */
export const stepWords = (at: Date, range: Range): string =>
  (range === '1h' || range === '24h' ? TIME : DAY).format(at);
