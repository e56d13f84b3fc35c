import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts so many to a second for user space, on every architecture that Node runs on. */
const TICKS_PER_S = 100;

// Indices of the fields of proc_pid_stat(5), counted from the state, which follows the name in brackets.
const PARENT = 1;
const USER_AND_SYSTEM = [11, 12];
const WITH_CHILDREN = [11, 12, 13, 14];

/** Seconds that a process and what it started have used: what runs still, and what it has waited for. */
export function processorS(pid: number): number {
  const stats = new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => [Number(name), statOf(`/proc/${name}/stat`)]),
  );
  const within = (root: number): number =>
    [...stats]
      .filter(([, stat]) => stat[PARENT] === String(root))
      .reduce((sum, [child]) => sum + within(child), seconds(stats.get(root), WITH_CHILDREN));
  return within(pid);
}

/** Seconds that the first thread of a process has used: the one that runs its JavaScript. */
export const firstThreadS = (pid: number): number =>
  seconds(statOf(`/proc/${pid}/task/${pid}/stat`), USER_AND_SYSTEM);

/** Reads the fields of a stat file. Returns none when the process is gone. */
function statOf(file: string): readonly string[] {
  try {
    const text = readFileSync(file, 'latin1');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}

const seconds = (stat: readonly string[] | undefined, fields: readonly number[]): number =>
  fields.reduce((sum, field) => sum + Number(stat?.[field] ?? 0), 0) / TICKS_PER_S;
