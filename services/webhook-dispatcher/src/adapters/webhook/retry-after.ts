const SECOND_MS = 1_000;

/** The form of asctime (RFC 9110, section 5.6.7), which is in GMT without saying so. */
const ASCTIME = /^[a-z]{3} [a-z]{3} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/i;
/** The two other forms of RFC 9110, and the one of RFC 3339 that many send instead. */
const ZONED_FORMS = [
  /^[a-z]{3}, \d{2} [a-z]{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/i,
  /^[a-z]{6,9}, \d{2}-[a-z]{3}-\d{2} \d{2}:\d{2}:\d{2} GMT$/i,
  /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/i,
];

/**
 * Milliseconds that Retry-After (RFC 9110, section 10.2.3: seconds or a date) asks for; 0 when it is
 * absent, unreadable or past. Of several the longest counts, so that no request comes too early.
 *
 * @param values one a line
 */
export function retryAfterMs(values: string, nowMs: number): number {
  const asked = values.split('\n').map((value) => delayMsOf(value.trim(), nowMs));
  return Math.max(0, ...asked);
}

function delayMsOf(value: string, nowMs: number): number {
  // A proxy may have joined the lines of two: a list of seconds, as no date can be told from its comma.
  if (/^\d+(\s*,\s*\d+)*$/.test(value)) {
    return Math.max(...value.split(',').map(Number)) * SECOND_MS;
  }
  const isZoned = ZONED_FORMS.some((form) => form.test(value));
  if (!isZoned && !ASCTIME.test(value)) return 0;
  const atMs = Date.parse(isZoned ? value : `${value} GMT`);
  return Number.isNaN(atMs) ? 0 : atMs - nowMs;
}
