const MINUTE_S = 60;
const HOUR_S = 60 * MINUTE_S;
const DAY_S = 24 * HOUR_S;

/** Returns a number of seconds in words, rounded up: `119 seconds`, `42 minutes`, `47 hours`, `3 days`. */
export function inWords(seconds: number): string {
  const unit = [DAY_S, HOUR_S, MINUTE_S].find((each) => seconds >= 2 * each) ?? 1;
  return `${Math.ceil(seconds / unit)} ${UNITS.get(unit)}`;
}

const UNITS = new Map([
  [1, 'seconds'],
  [MINUTE_S, 'minutes'],
  [HOUR_S, 'hours'],
  [DAY_S, 'days'],
]);
