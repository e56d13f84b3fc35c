const MINUTE_S = 60;
const HOUR_S = 60 * MINUTE_S;
const DAY_S = 24 * HOUR_S;
const JUST_NOW_S = 3;

const UNITS = [
  { unit: 'day', seconds: DAY_S },
  { unit: 'hour', seconds: HOUR_S },
  { unit: 'minute', seconds: MINUTE_S },
  { unit: 'second', seconds: 1 },
] as const;

const FORMAT = new Intl.RelativeTimeFormat('en', { numeric: 'always' });
const EXACT = new Intl.DateTimeFormat('en', { dateStyle: 'full', timeStyle: 'long' });

/** `2 minutes ago`, `in 5 hours`; both directions are rounded to the unit that says it best. */
export function relativeWords(at: Date, now: Date): string {
  const seconds = Math.round((at.getTime() - now.getTime()) / 1_000);
  const distance = Math.abs(seconds);
  if (distance < JUST_NOW_S) return at > now ? 'in a moment' : 'just now';
  const { unit, seconds: size } = UNITS.find(({ seconds }) => distance >= seconds) ?? UNITS[3];
  return FORMAT.format(Math.sign(seconds) * Math.floor(distance / size), unit);
}

/** Formats a moment with day, seconds and zone, so that it can be compared with a log. */
export const exactWords = (at: Date): string => EXACT.format(at);

/** `35 ms`, `1.2 s`, `5 min`, `26 h`. */
export function durationWords(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1_000;
  if (seconds < MINUTE_S) return `${seconds.toFixed(1)} s`;
  return seconds < HOUR_S
    ? `${Math.round(seconds / MINUTE_S)} min`
    : `${Math.round(seconds / HOUR_S)} h`;
}

const CLOCK = new Intl.DateTimeFormat('en', {
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});

/** `12:40`, of a moment that is less than a day away. */
export const clockWords = (at: string): string => CLOCK.format(new Date(at));
