import type { Answer } from '../api/types.js';

export type Statistics = Answer<'/api/webhooks/stats', 'get'>;

const HOUR_MS = 3_600_000;

export interface Hour {
  readonly at: Date;
  readonly succeeded: number;
  readonly failed: number;
}

/** When the first of so many hours began, of which the last is the one of now. */
export const firstHour = (now: Date, hours: number): Date =>
  new Date((Math.floor(now.getTime() / HOUR_MS) - hours + 1) * HOUR_MS);

/** Returns every hour, the oldest first. The API leaves out hours without attempts. */
export function everyHour(
  { from, items }: Pick<Statistics, 'from' | 'items'>,
  hours: number,
): readonly Hour[] {
  const found = new Map(items.map((item) => [Date.parse(item.hour), item]));
  return Array.from({ length: hours }, (_, n) => {
    const at = new Date(Date.parse(from) + n * HOUR_MS);
    const { succeeded = 0, failed = 0 } = found.get(at.getTime()) ?? {};
    return { at, succeeded, failed };
  });
}

/** `99.4%`, never rounded up to 100% where something failed. */
export function percentWords(share: number): string {
  const tenths = Math.floor(share * 1_000) / 10;
  return `${tenths}%`;
}

const HOUR = new Intl.DateTimeFormat('en', {
  weekday: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});

/** `Wed 07:00`: when an hour began, in the reader's time zone. */
export const hourWords = (at: Date): string => HOUR.format(at);
