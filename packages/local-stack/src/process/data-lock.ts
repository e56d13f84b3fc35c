import { linkSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { LocalStackError } from '../local-stack-error.js';
import { inUse, LOCK } from '../preflight/data-dir.mjs';
import {
  deleteMark,
  isAlive,
  markOf,
  type ProcessMark,
  readMark,
  writeMark,
} from '../preflight/process-identity.mjs';

const ROUNDS_MAX = 5;

/** Held until released, or until its holder's process ends. */
export interface DataLock {
  release(): void;
}

/**
 * Makes this process the only one on a data folder. Throws LocalStackError naming the holder's pid
 * when another one has it. A lock whose holder is gone is taken over, also when its number has
 * since been given to another process.
 */
export function lockData(dataDir: string): DataLock {
  mkdirSync(dataDir, { recursive: true });
  const mine = markOf(process.pid);
  if (mine === undefined) throw new LocalStackError('This process cannot find itself in /proc.');

  // Written aside and linked into place: nobody ever reads half a lock.
  const file = path.join(dataDir, LOCK);
  const aside = `${file}.${process.pid}`;
  writeMark(aside, mine);
  try {
    claim(file, aside, dataDir);
  } finally {
    rmSync(aside, { force: true });
  }
  return { release: () => deleteMark(file, mine) };
}

function claim(file: string, aside: string, dataDir: string): void {
  for (let round = 1; round <= ROUNDS_MAX; round++) {
    if (linked(aside, file)) return;
    const holder = readMark(file);
    if (holder !== undefined && isAlive(holder)) throw taken(dataDir, holder);
    deleteStale(file, `${aside}.stale`);
  }
  throw new LocalStackError(`${file} changes hands too fast; try again.`);
}

/** Two may find the same dead lock; the slower one must not remove the faster one's new lock. */
function deleteStale(file: string, grave: string): void {
  try {
    renameSync(file, grave);
  } catch {
    return; // somebody else was faster
  }
  const removed = readMark(grave);
  if (removed !== undefined && isAlive(removed)) linked(grave, file);
  rmSync(grave, { force: true });
}

function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

const taken = (dataDir: string, holder: ProcessMark) => new LocalStackError(inUse(dataDir, holder));
