import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { devNull } from 'node:os';
import { promisify } from 'node:util';
import { spawnGuarded } from '@junction/local-stack/process';
import { eventually } from '@junction/testing';

const run = promisify(execFile);
const OUTPUT_MAX = 64 * 1024 * 1024;
const GRACE_MS = 1_000;

/** Mounts, processes and a network that nobody else sees, and that all go with this process. */
export interface Namespaces {
  /** The words before a command that runs it in there; its network or its processes can stay ours. */
  enter(options?: { readonly network?: boolean; readonly processes?: boolean }): readonly string[];
  /** Folder in memory, visible only inside: no layer may lie within another, and the base of all layers is `/`. */
  readonly layersDir: string;
  /** Returns the path by which this process can reach a file of the namespace. */
  visible(file: string): string;
  /** Runs a command in there to its end; a failure has its output. */
  run(
    argv: readonly string[],
    options?: { network?: boolean; env?: NodeJS.ProcessEnv },
  ): Promise<string>;
  close(): Promise<void>;
}

/** Needs root, as the tests of CI have it. `layersDir`: an empty folder. */
export async function openNamespaces(layersDir: string): Promise<Namespaces> {
  if (process.getuid?.() !== 0) throw new Error('This test mounts: run it as root.');
  const holder = spawnGuarded({
    command: 'unshare',
    args: ['--mount', '--net', '--pid', '--fork', '--kill-child', 'sleep', 'infinity'],
    log: devNull,
    stopSignal: 'SIGKILL',
    graceMs: GRACE_MS,
  });
  // The first process in there: when it goes, the kernel ends all the others.
  const first = await eventually(() => {
    const [pid] = childrenOf(holder.pid);
    if (pid === undefined) throw new Error('unshare has started nothing.');
    return pid;
  });

  const enter: Namespaces['enter'] = ({ network = true, processes = true } = {}) => [
    'nsenter',
    `--target=${first}`,
    '--mount',
    ...(processes ? ['--pid'] : []),
    ...(network ? ['--net'] : []),
    '--',
  ];
  const inside: Namespaces['run'] = async (argv, { network = true, env = process.env } = {}) => {
    const [command = '', ...args] = [...enter({ network }), ...argv];
    try {
      return (await run(command, args, { env, maxBuffer: OUTPUT_MAX })).stdout;
    } catch (error) {
      const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
      throw new Error(`${argv.join(' ')} failed:\n${stdout}\n${stderr}`, { cause: error });
    }
  };
  await inside(['ip', 'link', 'set', 'lo', 'up']);
  await inside(['mount', '-t', 'tmpfs', 'tmpfs', layersDir]);
  return {
    layersDir,
    enter,
    run: inside,
    visible: (file) => `/proc/${first}/root${file}`,
    close: () => holder.stop(),
  };
}

/** The processes that this one has started. */
export const childrenOf = (pid: number): readonly number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .filter((word) => word.trim() !== '')
    .map(Number);
