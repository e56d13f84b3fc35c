import { chmodSync, existsSync, mkdtempSync, readdirSync, statSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import path from 'node:path';
import { startBackends } from './backends.js';
import { deleteData } from './delete-data.js';
import { holderOf } from './preflight/data-dir.mjs';
import { spawnGuarded } from './process/guarded-process.js';
import type { ServerExit } from './process/running-server.js';

/** Projects that need minutes, and only the README's prerequisites; `tools` needs more programs, `slow` more time. */
const PROJECTS = ['unit', 'int', 'e2e'];
const SELECT = '--selectProjects';

const FOLDER = 'junction-test-';
const ABANDONED_MS = 10 * 60_000;
const GRACE_MS = 10_000;

/** A run of the tests. */
export interface TestRun {
  /** Arguments for jest; when they choose no projects, everything but `tools` and `slow` is run. */
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** The top of the checkout. */
  readonly root: string;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Runs jest against a stack of its own, which is gone afterwards with its data, and gives the exit
 * code. JUNCTION_TEST_POSTGRES_URL and KAFKA_BROKERS name a stack to be used instead.
 */
export async function runTests(run: TestRun): Promise<number> {
  const args = withProjects(run.args);
  const stack = needsStack(args) ? await throwAwayStack(run) : undefined;
  try {
    const jest = spawnGuarded({
      command: process.execPath,
      args: [path.join(run.root, 'packages', 'local-stack', 'bin', 'jest.mjs'), ...args],
      cwd: run.root,
      env: { ...run.env, ...stack?.env },
      stopSignal: 'SIGTERM',
      graceMs: GRACE_MS,
      group: true, // jest has workers, and tests start processes
      signal: run.signal,
    });
    return exitCodeOf(await jest.exited);
  } finally {
    await stack?.end();
  }
}

/** The choice goes behind other arguments, or jest would take them for names of projects. */
export function withProjects(args: readonly string[]): readonly string[] {
  if (args.includes(SELECT)) return args;
  const paths = args.includes('--') ? args.indexOf('--') : args.length;
  return [...args.slice(0, paths), SELECT, ...PROJECTS, ...args.slice(paths)];
}

/** Pure tests need no servers, and should not wait for any. */
export function needsStack(args: readonly string[]): boolean {
  const chosen = args.slice(args.indexOf(SELECT) + 1);
  const end = chosen.findIndex((arg) => arg.startsWith('-'));
  return chosen.slice(0, end === -1 ? chosen.length : end).some((project) => project !== 'unit');
}

async function throwAwayStack({ env, say, signal }: TestRun) {
  const { JUNCTION_TEST_POSTGRES_URL: given } = env;
  if (given && env['KAFKA_BROKERS']) return undefined;

  deleteAbandoned();
  const dataDir = mkdtempSync(path.join(tmpdir(), FOLDER));
  chmodSync(dataDir, 0o755); // as root, Postgres runs as somebody else
  say('Starting Postgres and Kafka for the tests …');
  // The databases of a product that this shell is set up for are none of ours.
  const databases = { AUTH_DATABASE_URL: given, INTEGRATIONS_DATABASE_URL: given };
  const serverEnv = { ...env, ...databases, WEBHOOKS_DATABASE_URL: given };
  try {
    const backends = await startBackends({ dataDir, env: serverEnv, say, ephemeral: true, signal });
    backends.onExit((name) => say(`${name} ended in the middle of the tests; see ${dataDir}.`));
    return {
      env: {
        JUNCTION_TEST_POSTGRES_URL: backends.postgres?.adminUrl ?? given,
        KAFKA_BROKERS: backends.kafkaBrokers,
      },
      async end() {
        await backends.stop();
        deleteData(dataDir);
      },
    };
  } catch (error) {
    deleteData(dataDir);
    throw error;
  }
}

/** Deletes the folders of runs that were killed. */
function deleteAbandoned(): void {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(FOLDER))) {
    const folder = path.join(tmpdir(), name);
    if (!existsSync(folder) || statSync(folder).uid !== process.getuid?.()) continue;
    const isOld = Date.now() - statSync(folder).mtimeMs > ABANDONED_MS;
    if (isOld && holderOf(folder) === undefined) deleteData(folder);
  }
}

/** Returns the exit code that a shell would give: a signal is 128 and its number. */
function exitCodeOf({ code, signal }: ServerExit): number {
  return code ?? (signal === null ? 1 : 128 + constants.signals[signal]);
}
