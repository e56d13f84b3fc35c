import { mkdirSync } from 'node:fs';
import path from 'node:path';
import {
  calledOff,
  type GuardedOptions,
  runGuarded,
  spawnGuarded,
} from '../process/guarded-process.js';
import { waitUntilReady } from '../process/readiness.js';
import { inWords } from '../process/running-server.js';
import { MEMORY_OPTIONS } from './memory-options.js';
import type { Child } from './supervisor.js';

/** Longer than the longest stop of a service: a token request under way at a provider holds up one of them. */
const STOP_GRACE_MS = 80_000;
const OWNER_ENTERS = 0o700;
const NODE_OPTIONS = ['--enable-source-maps', ...MEMORY_OPTIONS];

export interface NodeProgram {
  readonly name: string;
  /** Absolute path of the built script. */
  readonly script: string;
  readonly args?: readonly string[];
  /** Absolute path of a module that is loaded before it. */
  readonly preload?: string;
  readonly env: Readonly<Record<string, string>>;
  readonly logsDir: string;
}

/** A Node program that serves; `readyUrl` answers 2xx once it does. */
export const nodeChild = (program: NodeProgram, readyUrl: string, signal: AbortSignal): Child => ({
  name: program.name,
  async start() {
    const command = commandOf(program, signal);
    const child = spawnGuarded(command);
    const awaited = { ...child, server: program.name, log: command.log };
    const answers = () => serves(readyUrl);
    try {
      await waitUntilReady({ ...awaited, answers });
    } catch (error) {
      await child.stop();
      throw signal.aborted ? calledOff() : error;
    }
    return { ...child, exited: child.exited.then(inWords) };
  },
});

/** Runs a Node program to its end. A failure says why, from its log. */
export const runNode = (program: NodeProgram, signal: AbortSignal): Promise<void> =>
  runGuarded(program.name, commandOf(program, signal));

function commandOf(
  { name, logsDir, script, args = [], preload, env }: NodeProgram,
  signal: AbortSignal,
): GuardedOptions & { readonly log: string } {
  mkdirSync(logsDir, { recursive: true, mode: OWNER_ENTERS });
  return {
    command: process.execPath,
    args: [...NODE_OPTIONS, ...(preload ? ['--import', preload] : []), script, ...args],
    env,
    log: path.join(logsDir, `${name}.log`),
    stopSignal: 'SIGTERM',
    graceMs: STOP_GRACE_MS,
    signal,
  };
}

async function serves(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(1_000) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}
