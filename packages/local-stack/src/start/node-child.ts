import { closeSync, mkdirSync, openSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawnGuarded } from '../guarded-process.js';
import { LocalStackError } from '../local-stack-error.js';
import { tailOf } from '../log-file.js';
import type { ServerExit } from '../running-server.js';
import type { Child, Running } from './supervisor.js';

const READY_WITHIN_MS = 60_000;
const STOP_GRACE_MS = 12_000;
const ASK_EVERY_MS = 50;
const OWNER_ONLY = 0o600;

export interface NodeProgram {
  readonly name: string;
  /** Absolute path of the built script. */
  readonly script: string;
  readonly args?: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly logsDir: string;
}

/** A Node program that serves; `readyUrl` answers 2xx once it does. */
export const nodeChild = (program: NodeProgram, readyUrl: string, signal: AbortSignal): Child => ({
  name: program.name,
  async start() {
    const child = spawned(program, signal);
    let ended: string | undefined;
    void child.exited.then((reason) => {
      ended = reason;
    });
    const end = Date.now() + READY_WITHIN_MS;
    while (!(await answers(readyUrl))) {
      if (ended !== undefined) throw new LocalStackError(endedBeforeReady(program, ended));
      if (Date.now() > end) {
        await child.stop();
        const within = `within ${READY_WITHIN_MS / 1_000} s`;
        throw new LocalStackError(
          `${program.name} was not ready ${within}; see ${logOf(program)}.`,
        );
      }
      await sleep(ASK_EVERY_MS);
    }
    return child;
  },
});

/** Runs a Node program to its end. A failure quotes the end of its log. */
export async function runNode(program: NodeProgram, signal: AbortSignal): Promise<void> {
  const reason = await spawned(program, signal).exited;
  if (reason !== 'exit code 0') throw new LocalStackError(endedBeforeReady(program, reason));
}

function spawned(program: NodeProgram, signal: AbortSignal): Running {
  mkdirSync(program.logsDir, { recursive: true });
  const output = openSync(logOf(program), 'a', OWNER_ONLY);
  try {
    const { pid, exited, stop } = spawnGuarded({
      command: process.execPath,
      args: ['--enable-source-maps', program.script, ...(program.args ?? [])],
      env: program.env,
      output,
      stopSignal: 'SIGTERM',
      graceMs: STOP_GRACE_MS,
      signal,
    });
    return { pid, exited: exited.then(inWords), stop };
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

const endedBeforeReady = (program: NodeProgram, reason: string) =>
  `${program.name} ended before it was ready (${reason}). The end of ${logOf(program)}:\n${tailOf(logOf(program))}`;
