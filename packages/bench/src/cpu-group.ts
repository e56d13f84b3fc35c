import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Open } from './closing.js';

const PERIOD_US = 100_000;

/** Places of the groups, with the file that limits one, by version of cgroups, and what it says of a quota. */
const VERSIONS = [
  { root: '/sys/fs/cgroup/cpu', file: 'cpu.cfs_quota_us', text: String, unlimited: '-1' },
  {
    root: '/sys/fs/cgroup',
    file: 'cpu.max',
    text: (quotaUs: number) => `${quotaUs} ${PERIOD_US}`,
    unlimited: 'max',
  },
] as const;

/** A cgroup of this machine: its processes have so many cores together. */
export interface CpuGroup {
  /** Moves a process with all its threads into the group, which is limited from then on. */
  hold(pid: number | undefined): void;
  /** Takes the limit away. */
  release(): void;
}

/**
 * Makes a group for processes that are started after it, which is removed once they have ended. Undefined where this
 * machine lets nobody make one.
 */
export function cpuGroup(cores: number, open: Open): CpuGroup | undefined {
  for (const { root, file, text, unlimited } of VERSIONS) {
    const folder = path.join(root, `junction-bench-${randomUUID()}`);
    const limit = path.join(folder, file);
    try {
      mkdirSync(folder);
    } catch {
      continue;
    }
    open(() => rmdirSync(folder));
    if (!existsSync(limit)) continue;
    return {
      hold(pid) {
        writeFileSync(limit, text(cores * PERIOD_US));
        writeFileSync(path.join(folder, 'cgroup.procs'), String(pid));
      },
      release: () => writeFileSync(limit, unlimited),
    };
  }
  return undefined;
}
