import type { AttemptOutcome } from '../delivery/events.js';

/** Number of attempts in the strip of a webhook. */
export const MARKS_MAX = 90;

/** Milliseconds up to which a success has the mark 1, 2, 3 and so on. */
const STEPS_MS = [10, 30, 100, 300, 1_000, 3_000, 10_000];

interface Attempted {
  readonly outcome: AttemptOutcome;
  readonly httpStatus: number | null;
  readonly totalMs: number;
}

/**
 * Returns the mark of an attempt in a strip: 1 to 8 for a success, higher the longer it took; `x` for any other answer;
 * `!` when no answer came.
 */
export function markOf({ outcome, httpStatus, totalMs }: Attempted): string {
  if (outcome.kind !== 'succeeded') return httpStatus === null ? '!' : 'x';
  return String(1 + STEPS_MS.filter((stepMs) => totalMs > stepMs).length);
}

export const RESPONSES = ['2xx', '3xx', '4xx', '5xx', 'none'] as const;

export type Response = (typeof RESPONSES)[number];

/** Returns the class of a status; `none`: no answer came. */
export const responseOf = (httpStatus: number | null): Response =>
  RESPONSES[Math.floor((httpStatus ?? 600) / 100) - 2] ?? 'none';
