import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import type { Acknowledged, Asked } from '../check/history.js';

/** A line of a writer's history. */
export type Entry =
  | { readonly kind: 'asked'; readonly turn: number; readonly requests: readonly Asked[] }
  | {
      readonly kind: 'acknowledged';
      readonly turn: number;
      readonly answers: readonly Acknowledged[];
    };

/** Appends a line that is there for good when this returns, also for a process killed right after. */
export function writeEntry(file: string, entry: Entry): void {
  const out = openSync(file, 'a');
  try {
    // The line before it may have been cut off by a kill: an empty one costs nothing.
    writeSync(out, `\n${JSON.stringify(entry)}\n`);
    fsyncSync(out);
  } finally {
    closeSync(out);
  }
}

/** The whole lines of a history. A line that a kill cut off is left out: requests follow whole lines. */
export function readEntries(file: string): readonly Entry[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        return line === '' ? [] : [JSON.parse(line) as Entry];
      } catch {
        return [];
      }
    });
}
