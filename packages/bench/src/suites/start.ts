import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { apart } from '@junction/local-stack';
import { BUDGETS } from '../budgets.js';
import { median } from '../statistics.js';
import type { BenchRun, Suite } from '../suite.js';

const START = path.resolve(import.meta.dirname, '../../../local-stack/bin/start.mjs');
const RUNS = 5;
const READY_WITHIN_MS = 120_000;

export const suite: Suite = {
  what: 'seconds from the command to `Junction is ready`, everything built (1 minute)',
  budgets: BUDGETS.start,

  async run(run) {
    // The user that Postgres runs as must be able to pass through; what is secret below is 0600.
    const dataDir = mkdtempSync('/var/tmp/junction-bench-');
    chmodSync(dataDir, 0o711);
    try {
      const fresh = await startOnce(dataDir, run);
      const warm: number[] = [];
      for (let time = 1; time <= (run.quick ? 1 : RUNS); time++) {
        warm.push(await startOnce(dataDir, run));
      }
      return { start_warm_s: median(warm), start_fresh_s: fresh };
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  },
};

/** Seconds from the command to the line that says it is ready; then it is stopped. */
async function startOnce(dataDir: string, { env, signal }: BenchRun): Promise<number> {
  const began = performance.now();
  const child = spawn(process.execPath, [START], {
    env: apart(env, dataDir),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const stop = () => void child.kill('SIGINT');
  signal.addEventListener('abort', stop, { once: true });
  const overdue = setTimeout(stop, READY_WITHIN_MS);
  let seconds: number | undefined;
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
    if (seconds !== undefined || !/^Junction is ready/m.test(printed)) return;
    seconds = (performance.now() - began) / 1_000;
    stop();
  });
  await exited;
  clearTimeout(overdue);
  signal.removeEventListener('abort', stop);
  signal.throwIfAborted();
  if (seconds === undefined) throw new Error(`It did not become ready. It printed:\n${printed}`);
  return seconds;
}
