import { readFileSync } from 'node:fs';
import type { Log } from './log.js';

/**
 * Gives what a file holds at each call. While it cannot be read, or `check` throws for what it holds, what it held before is
 * given instead.
 *
 * @throws when that is so already at first
 */
export function currentFile(
  file: string,
  log: Pick<Log, 'warn'>,
  check: (text: string) => unknown = () => undefined,
): () => string {
  const read = () => {
    const text = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
    check(text);
    return text;
  };
  let current = read();
  return () => {
    try {
      current = read();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      log.warn({ file, code }, 'the file cannot be used: what it held before is');
    }
    return current;
  };
}
