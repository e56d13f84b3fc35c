import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';

/**
 * A process, told apart from a later one that was given the same number. `started` is when it was
 * started, in the system's own words; equal for the same process only.
 * @typedef {{ readonly pid: number, readonly started: string }} ProcessMark
 */

/**
 * The mark of a running process, or undefined when no process has this number.
 * @param {number} pid
 * @returns {ProcessMark | undefined}
 */
export function markOf(pid) {
  const started = process.platform === 'linux' ? startedOnLinux(pid) : startedByPs(pid);
  return started === undefined ? undefined : { pid, started };
}

/**
 * Whether this very process still runs.
 * @param {ProcessMark} mark
 */
export const isAlive = ({ pid, started }) => markOf(pid)?.started === started;

/**
 * Writes a mark to a file.
 * @param {string} file
 * @param {ProcessMark} mark
 */
export const writeMark = (file, mark) => writeFileSync(file, `${JSON.stringify(mark)}\n`);

/**
 * Reads a mark; undefined when there is no file or it holds none.
 * @param {string} file
 * @returns {ProcessMark | undefined}
 */
export function readMark(file) {
  try {
    const { pid, started } = JSON.parse(readFileSync(file, 'utf8'));
    return typeof pid === 'number' && typeof started === 'string' ? { pid, started } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Deletes the file if it still holds this mark.
 * @param {string} file
 * @param {ProcessMark} mark
 */
export function deleteMark(file, mark) {
  const found = readMark(file);
  if (found?.pid === mark.pid && found.started === mark.started) rmSync(file, { force: true });
}

/**
 * Boot and clock ticks: numbers repeat, this pair does not. A zombie counts as gone.
 * @param {number} pid
 */
function startedOnLinux(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name, in parentheses, may hold spaces; after it come state (0) … start time (19).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${fields[19]}`;
  } catch {
    return undefined;
  }
}

/** @param {number} pid */
function startedByPs(pid) {
  const { stdout } = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout?.trim() || undefined;
}
