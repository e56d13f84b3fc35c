import { readFileSync } from 'node:fs';
import type { Log } from './log.js';

/**
 * Returns a function that reads a file at each call. While the file cannot be read, or `check` throws for its content,
 * the function returns the last good content instead.
 *
 * @throws when the first read fails already
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
