import { readdirSync, readFileSync } from 'node:fs';

/** sysconf(_SC_CLK_TCK), which is 100 on every Linux that Node runs on. */
const TICKS_PER_S = 100;

// Indices of the fields of proc_pid_stat(5), counted from the state, which follows the name in brackets.
const PARENT = 1;
/** User and system time of a process, and of what it started and has waited for. */
const USED = [11, 12, 13, 14];

/**
 * Returns the seconds of processor time that a process and all that it started have used. NaN for a process that this
 * machine does not show, such as one in a container or on a system without /proc.
 */
export function processorS(pid: number | undefined): number {
  const stats = new Map(processes().map((each) => [each, statOf(each)]));
  const within = (root: number): number =>
    [...stats]
      .filter(([, stat]) => stat[PARENT] === String(root))
      .reduce((sum, [child]) => sum + within(child), seconds(stats.get(root)));
  return pid !== undefined && stats.has(pid) ? within(pid) : Number.NaN;
}

function processes(): readonly number[] {
  try {
    return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
  } catch {
    return [];
  }
}

/** Reads the fields of a process; none when it is gone. */
function statOf(pid: number): readonly string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}

const seconds = (stat: readonly string[] | undefined): number =>
  USED.reduce((sum, field) => sum + Number(stat?.[field] ?? 0), 0) / TICKS_PER_S;
