const SECOND_MS = 1_000;

/**
 * Milliseconds that Retry-After (RFC 9110, section 10.2.3: seconds or a date) asks for; 0 when it is
 * absent, unreadable or past.
 */
export function retryAfterMs(value: string | undefined, nowMs: number): number {
  if (value === undefined) return 0;
  if (/^\d+$/.test(value)) return Number(value) * SECOND_MS;
  const atMs = Date.parse(value);
  return Number.isNaN(atMs) ? 0 : Math.max(0, atMs - nowMs);
}
