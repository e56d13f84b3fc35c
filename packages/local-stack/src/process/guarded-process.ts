import { spawn } from 'node:child_process';
import path from 'node:path';
import { LocalStackError } from '../local-stack-error.js';
import { deathGuard, groupGuard } from './death-guard.js';
import { tailOf } from './log-file.js';
import type { ServerExit } from './running-server.js';

/** What to run and how to end it. */
export interface GuardedOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Run as this user instead of our own; only root can. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined;
  /** Where its output goes: an open file, or our own terminal. */
  readonly output: number | 'inherit';
  /** What it is sent when it is to stop, by us or because this process is gone. */
  readonly stopSignal: NodeJS.Signals;
  /** How long a stop may take before it is killed. */
  readonly graceMs: number;
  /** Stop and guard its whole process group: for programs that start others. */
  readonly group?: boolean;
  /** Stops it when aborted, so that a start can be called off midway. */
  readonly signal?: AbortSignal | undefined;
}

/** A child that cannot outlive this process. */
export interface GuardedProcess {
  readonly pid: number;
  readonly exited: Promise<ServerExit>;
  /** Resolves when it is gone; calling it again is harmless. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** Starts a program that ends when this process does. Throws LocalStackError when it cannot run. */
export function spawnGuarded(options: GuardedOptions): GuardedProcess {
  const { command, args, stopSignal, group = false, signal } = options;
  if (signal?.aborted === true) throw calledOff();
  const guard = group ? groupGuard(command, args) : deathGuard(command, args, stopSignal);
  const child = spawn(guard.command, guard.args, {
    stdio: ['ignore', options.output, options.output],
    // In a group of its own, or Ctrl-C in the terminal would reach it before we can stop in order.
    detached: true,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    ...(options.env === undefined ? {} : { env: options.env }),
    ...(options.user === undefined ? {} : { uid: options.user.uid, gid: options.user.gid }),
  });
  child.on('error', () => undefined);
  const { pid } = child;
  if (pid === undefined) throw new LocalStackError(`${guard.command} could not be run.`);

  const watcher = guard.watch?.(pid);
  const exited = new Promise<ServerExit>((resolve) => {
    child.once('exit', (code, signal) => {
      watcher?.end();
      if (group) sendToGroup(pid, 'SIGKILL'); // what it started and left behind
      resolve({ code, signal });
    });
  });
  const send = (name: NodeJS.Signals) => (group ? sendToGroup(pid, name) : child.kill(name));
  const stop = async (name = stopSignal): Promise<void> => {
    send(name);
    const lastResort = setTimeout(() => send('SIGKILL'), options.graceMs);
    await exited;
    clearTimeout(lastResort);
  };
  const callOff = () => void stop();
  signal?.addEventListener('abort', callOff, { once: true });
  void exited.then(() => signal?.removeEventListener('abort', callOff));
  return { pid, exited, stop };
}

/** Runs a program to its end; a failure quotes the end of its log. */
export async function runGuarded(
  options: GuardedOptions,
  { what, log }: { readonly what: string; readonly log: string },
): Promise<void> {
  const { code, signal } = await spawnGuarded(options).exited;
  if (code === 0) return;
  if (options.signal?.aborted === true) throw calledOff();
  const program = path.basename(options.command);
  throw new LocalStackError(
    `${what} failed: ${program} ended with ${code ?? signal}. The end of ${log}:\n${tailOf(log)}`,
  );
}

const calledOff = () => new LocalStackError('The start was called off.');

function sendToGroup(leader: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(-leader, signal);
  } catch {
    return false; // nobody is left in it
  }
}
