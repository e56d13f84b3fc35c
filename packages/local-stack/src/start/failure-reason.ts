import { z } from 'zod';

const LINES_MAX = 15;

const fatal = z.object({ level: z.literal('fatal'), err: z.object({ message: z.string() }) });

/** Why a program ended, from its log: what its fatal records say, or else the last lines. */
export function failureReason(log: string): string {
  const lines = log.split('\n');
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
