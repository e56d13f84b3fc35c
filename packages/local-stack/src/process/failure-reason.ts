import { z } from 'zod';
import { tailOf } from './log-file.js';

const LINES_MAX = 15;
const QUOTED_BYTES_MAX = 16_000;

const fatal = z.object({ level: z.literal('fatal'), err: z.object({ message: z.string() }) });

/**
 * Why a program ended, from what its log (a file) holds from `from` (bytes) on: what its fatal
 * records say, or else the last lines, and where there is more.
 */
export const failureReason = (log: string, from: number): string =>
  `${reasonIn(tailOf(log, from, QUOTED_BYTES_MAX))}\nMore in ${log}.`;

/** Finds the reason in the text of a log. */
export function reasonIn(text: string): string {
  const lines = text.split('\n');
  const messages = lines.flatMap((line) => {
    const { data } = fatal.safeParse(parsed(line));
    return data === undefined ? [] : [data.err.message];
  });
  return (messages.length > 0 ? messages : lines.slice(-LINES_MAX)).join('\n');
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // an uncaught exception is no record
  }
}
