const SECONDS: Readonly<Record<string, number>> = {
  '': 1,
  s: 1,
  sec: 1,
  m: 60,
  min: 60,
  h: 3_600,
  d: 86_400,
};
const UNITS = [
  { unit: 'd', seconds: 86_400 },
  { unit: 'h', seconds: 3_600 },
  { unit: 'min', seconds: 60 },
  { unit: 's', seconds: 1 },
] as const;
const DURATION = /^(?<count>\d{1,9})\s*(?<unit>[a-z]*)$/;

/** `5 s, 5 min, 2 h`: each in the largest unit that tells it exactly. */
export const durationsInWords = (seconds: readonly number[]): string =>
  seconds.map(durationInWords).join(', ');

function durationInWords(seconds: number): string {
  const fits = UNITS.find((one) => seconds % one.seconds === 0 && seconds >= one.seconds);
  const { unit, seconds: size } = fits ?? UNITS[3];
  return `${seconds / size} ${unit}`;
}

/** The seconds of `5 s, 5 min, 2 h`; undefined: something in it is no duration. */
export function secondsIn(text: string): number[] | undefined {
  const parts = text.split(',').map((part) => part.trim());
  const seconds = parts.map(secondsOf);
  return seconds.every((one) => one !== undefined) ? seconds : undefined;
}

function secondsOf(part: string): number | undefined {
  const { count, unit = '' } = DURATION.exec(part.toLowerCase())?.groups ?? {};
  const size = Object.hasOwn(SECONDS, unit) ? SECONDS[unit] : undefined;
  return count === undefined || size === undefined ? undefined : Number(count) * size;
}
