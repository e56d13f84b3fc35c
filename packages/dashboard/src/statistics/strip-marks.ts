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
 * Draws marks of the API, the newest at the right end, all of one height. A success is a whole line, an answer that was
 * none lacks a piece near its top, and where no answer came the line is broken in three: colours only repeat that.
 */
export function stripPaths(marks: string): StripPaths {
  const first = STRIP_MAX - marks.length;
  const paths = { succeeded: '', failed: '' };
  for (const [index, mark] of Array.from(marks).entries()) {
    const start = `M${(first + index) * STRIP_STEP + 1} ${STRIP_HEIGHT}`;
    if (mark === 'x') paths.failed += `${start}v-14m0-5v-5`;
    else if (mark === '!') paths.failed += `${start}v-5m0-4v-6m0-4v-5`;
    else paths.succeeded += `${start}v-${STRIP_HEIGHT}`;
  }
  return paths;
}

/** Says of the mark that is so many steps from the left of a strip what it stands for; undefined: there is none. */
export function markWords(marks: string, step: number): string | undefined {
  const index = step - (STRIP_MAX - marks.length);
  const mark = marks[index];
  if (mark === undefined) return undefined;
  const before = marks.length - 1 - index;
  const which = before === 0 ? 'The last attempt' : `${before + 1} attempts ago`;
  if (mark === 'x') return `${which}: an answer that was no success`;
  return mark === '!' ? `${which}: no answer` : `${which}: accepted`;
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
