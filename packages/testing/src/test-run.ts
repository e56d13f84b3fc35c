import { isAlive, markOf } from '@junction/local-stack/process';

const OURS = /^jt_(\d+)_/;

/**
 * The process that made a database: stored as its comment, so that a later run can tell that the database is
 * orphaned.
 */
export interface Owner {
  readonly pid: number;
  readonly started: string;
}

/**
 * Returns the process that stands for this test run: jest itself, whose workers are its children. A run never uses
 * what another run made, so nothing is ever stale.
 */
export function testRun(): Owner {
  const isWorker = process.env['JEST_WORKER_ID'] !== undefined && process.send !== undefined;
  const owner = markOf(isWorker ? process.ppid : process.pid);
  if (owner === undefined) throw new Error('The test run is gone.');
  return owner;
}

/** The name of a database of this run. */
export const databaseName = ({ pid }: Owner, rest: string): string => `jt_${pid}_${rest}`;

/** Whether a database was left behind by a run that was killed. */
export function isOrphan(name: string, comment: string | null): boolean {
  const pid = Number(OURS.exec(name)?.[1]);
  // No comment yet: it is being made at this moment.
  return Number.isInteger(pid) && comment !== null && !isAlive({ pid, started: comment });
}
