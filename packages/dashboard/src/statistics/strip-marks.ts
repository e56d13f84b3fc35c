/** Attempts that a strip has room for. */
export const STRIP_MAX = 90;

/** Width of an attempt, and height of the strip. */
export const STRIP_STEP = 3;
export const STRIP_HEIGHT = 24;

/** Paths of a strip by the outcome of attempts, drawn with strokes two wide. */
export interface StripPaths {
  readonly succeeded: string;
  readonly failed: string;
}

/**
 * Draws marks of the API, the newest at the right end. A success is as high as it took long; any other answer reaches
 * to the top; where none came the line is broken, so that colours only repeat what shapes say.
 */
export function stripPaths(marks: string): StripPaths {
  const first = STRIP_MAX - marks.length;
  const paths = { succeeded: '', failed: '' };
  for (const [index, mark] of Array.from(marks).entries()) {
    const start = `M${(first + index) * STRIP_STEP + 1} ${STRIP_HEIGHT}`;
    if (mark === 'x') paths.failed += `${start}v-${STRIP_HEIGHT}`;
    else if (mark === '!') paths.failed += `${start}v-9m0-6v-9`;
    else paths.succeeded += `${start}v-${3 + 2 * Number(mark)}`;
  }
  return paths;
}

/** Says what a strip shows: `Last 40 attempts: 38 succeeded, 2 failed. The last one succeeded.` */
export function stripWords(marks: string): string {
  if (marks === '') return 'No attempts yet';
  const failed = marks.replaceAll(/\d/g, '').length;
  const last = /\d$/.test(marks) ? 'succeeded' : 'failed';
  if (marks.length === 1) return `Last attempt: it ${last}.`;
  const outcomes = `${marks.length - failed} succeeded, ${failed} failed`;
  return `Last ${marks.length} attempts: ${outcomes}. The last one ${last}.`;
}
