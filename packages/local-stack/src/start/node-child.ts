import { closeSync, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LocalStackError } from '../local-stack-error.js';
import { spawnGuarded } from '../process/guarded-process.js';
import { openLog, tailOf } from '../process/log-file.js';
import type { ServerExit } from '../process/running-server.js';
import { failureReason } from './failure-reason.js';
import { MEMORY_OPTIONS } from './memory-options.js';
import type { Child, Running } from './supervisor.js';

const READY_WITHIN_MS = 60_000;
/** Longer than the longest stop of a service: a token request under way at a provider holds up one of them. */
const STOP_GRACE_MS = 80_000;
const ASK_EVERY_MS = 50;
const OWNER_ENTERS = 0o700;
const QUOTED_BYTES_MAX = 16_000;
const NODE_OPTIONS = ['--enable-source-maps', ...MEMORY_OPTIONS];

export interface NodeProgram {
  readonly name: string;
  /** Absolute path of the built script. */
  readonly script: string;
  readonly args?: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly logsDir: string;
}

/** A Node program that serves; `readyUrl` answers 2xx once it does. */
export const nodeChild = (
  program: NodeProgram,
  readyUrl: string,
  signal: AbortSignal,
  readyWithinMs = READY_WITHIN_MS,
): Child => ({
  name: program.name,
  async start() {
    const child = spawned(program, signal);
    let ended: string | undefined;
    void child.exited.then((reason) => {
      ended = reason;
    });
    const end = Date.now() + readyWithinMs;
    while (!(await answers(readyUrl))) {
      if (ended !== undefined) throw endedBeforeReady(program, ended, child.logStart);
      if (Date.now() > end) {
        await child.stop();
        const within = `within ${readyWithinMs / 1_000} s`;
        throw new LocalStackError(
          `${program.name} was not ready ${within}; see ${logOf(program)}.`,
        );
      }
      await sleep(ASK_EVERY_MS);
    }
    return child;
  },
});

/** Runs a Node program to its end. A failure says why, from its log. */
export async function runNode(program: NodeProgram, signal: AbortSignal): Promise<void> {
  const { exited, logStart } = spawned(program, signal);
  const reason = await exited;
  if (reason !== 'exit code 0') throw endedBeforeReady(program, reason, logStart);
}

function spawned(program: NodeProgram, signal: AbortSignal): Running & { logStart: number } {
  mkdirSync(program.logsDir, { recursive: true, mode: OWNER_ENTERS });
  const output = openLog(logOf(program));
  const logStart = statSync(logOf(program)).size;
  try {
    const { pid, exited, stop } = spawnGuarded({
      command: process.execPath,
      args: [...NODE_OPTIONS, program.script, ...(program.args ?? [])],
      env: program.env,
      output,
      stopSignal: 'SIGTERM',
      graceMs: STOP_GRACE_MS,
      signal,
    });
    return { pid, exited: exited.then(inWords), stop, logStart };
  } finally {
    closeSync(output);
  }
}

export const inWords = ({ code, signal }: ServerExit): string =>
  signal === null ? `exit code ${code}` : signal;

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(1_000) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

const logOf = ({ logsDir, name }: NodeProgram) => path.join(logsDir, `${name}.log`);

const endedBeforeReady = (program: NodeProgram, reason: string, logStart: number) =>
  new LocalStackError(
    `${program.name} ended before it was ready (${reason}):\n` +
      `${failureReason(tailOf(logOf(program), logStart, QUOTED_BYTES_MAX))}\n` +
      `More in ${logOf(program)}.`,
  );
