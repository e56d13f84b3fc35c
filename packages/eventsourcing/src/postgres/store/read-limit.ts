const LIMIT_MAX = 10_000;

/** Refuses a limit that would be cut in silence: a reader takes a short answer for the end. */
export function checkLimit(limit: number): void {
  if (Number.isSafeInteger(limit) && limit >= 1 && limit <= LIMIT_MAX) return;
  throw new RangeError(`${limit} events cannot be read at once: from 1 to ${LIMIT_MAX} can.`);
}
