import { closeSync, existsSync, openSync, readSync, renameSync, statSync } from 'node:fs';

const LOG_BYTES_MAX = 10 * 1024 * 1024;

/** Opens a server's log for appending; a large one is set aside first, so two at most are kept. */
export function openLog(file: string): number {
  if (existsSync(file) && statSync(file).size > LOG_BYTES_MAX) renameSync(file, `${file}.1`);
  return openSync(file, 'a', 0o600);
}

/** Returns the part of a file from the byte `from` on, at most the last `bytesMax` bytes. */
export function tailOf(file: string, from = 0, bytesMax = 1_500): string {
  if (!existsSync(file)) return '';
  const { size } = statSync(file);
  const start = Math.max(from > size ? 0 : from, size - bytesMax);
  const tail = Buffer.alloc(size - start);
  const fd = openSync(file, 'r');
  try {
    return tail.toString('utf8', 0, readSync(fd, tail, 0, tail.length, start)).trim();
  } finally {
    closeSync(fd);
  }
}
