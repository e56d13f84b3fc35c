const SECOND_MS = 1_000;

/** Separates several values. The comma after a day of the week belongs to its date. */
const BETWEEN = /\n|(?<!\b(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*),/i;
const QUOTES = /^"|"$/g;
/** Some limiters send decimals or the unit. */
const SECONDS = /^(\d+(?:\.\d+)?)s?$/;
/** The form of asctime (RFC 9110, section 5.6.7), which is in GMT without saying so. */
const ASCTIME = /^[a-z]{3} [a-z]{3} [ \d]\d \d\d:\d\d:\d\d \d{4}$/i;
/** Dates with their zone, of which Date.parse would read many others too. */
const ZONED_FORMS = [
  // RFC 9110 has GMT and a day of two digits alone, and with them RFC 850; RFC 5322 has what mail libraries write.
  /^(?:[a-z]{3,9}, )?\d{1,2}(?: [a-z]{3} \d{4}|-[a-z]{3}-\d\d) \d\d:\d\d:\d\d (?:GMT|UTC?|[+-]\d{4})$/i,
  // RFC 3339, and what Ruby and Python make of it.
  /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z| UTC| ?[+-]\d\d:?\d\d)$/i,
  // A Date of JavaScript as a text.
  /^[a-z]{3} [a-z]{3} \d\d \d{4} \d\d:\d\d:\d\d GMT[+-]\d{4}(?: \([a-z ]+\))?$/i,
];

/**
 * Milliseconds that Retry-After (RFC 9110, section 10.2.3: seconds or a date) asks for, in the forms that languages
 * write by default. 0 when they are past, undefined when it is absent or says nothing readable. Of several values the
 * longest counts, so that no request comes too early.
 *
 * @param values separated by line feeds or commas
 */
export function retryAfterMs(values: string, nowMs: number): number | undefined {
  const asked = values
    .split(BETWEEN)
    .map((value) => delayMsOf(value.trim().replace(QUOTES, ''), nowMs))
    .filter((delayMs) => !Number.isNaN(delayMs));
  return asked.length === 0 ? undefined : Math.max(0, ...asked);
}

function delayMsOf(value: string, nowMs: number): number {
  const seconds = SECONDS.exec(value)?.[1];
  if (seconds !== undefined) return Math.ceil(Number(seconds) * SECOND_MS);
  if (ASCTIME.test(value)) return Date.parse(`${value} GMT`) - nowMs;
  const isZoned = ZONED_FORMS.some((form) => form.test(value));
  return isZoned ? Date.parse(value) - nowMs : Number.NaN;
}
