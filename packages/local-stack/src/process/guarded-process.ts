import { spawn } from 'node:child_process';
import { closeSync, fstatSync } from 'node:fs';
import { LocalStackError } from '../local-stack-error.js';
import { guardAgainstOurDeath } from '../preflight/death-guard.mjs';
import { failureReason } from './failure-reason.js';
import { openLog } from './log-file.js';
import { inWords, type ServerExit } from './running-server.js';

/** The command of a process, and how to end the process. */
export interface GuardedOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Run as this user instead of our own; only root can. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined;
  /** The file that its output is appended to; our own terminal when absent. */
  readonly log?: string;
  /** Signal for the process when it is to stop: because of `stop`, or because this process is gone. */
  readonly stopSignal: NodeJS.Signals;
  /** Milliseconds that a stop may take before the process is killed. */
  readonly graceMs: number;
  /** Stop and guard its whole process group: for programs that start others. */
  readonly group?: boolean;
  /** Stops it when aborted, so that a start can be called off midway. */
  readonly signal?: AbortSignal | undefined;
}

/** A child that cannot outlive this process. */
export interface GuardedProcess {
  readonly pid: number;
  /** Position in the log at which the output of this process begins, in bytes. */
  readonly logStart: number;
  readonly exited: Promise<ServerExit>;
  /** Resolves when it is gone; calling it again is harmless. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** Starts a program that ends when this process does. Throws LocalStackError when it cannot run. */
export function spawnGuarded(options: GuardedOptions): GuardedProcess {
  const { command, args, stopSignal, group = false, signal } = options;
  if (signal?.aborted === true) throw calledOff();
  const output = options.log === undefined ? 'inherit' : openLog(options.log);
  const logStart = output === 'inherit' ? 0 : fstatSync(output).size;
  const child = spawn(command, args, {
    stdio: ['ignore', output, output],
    // A group of its own keeps Ctrl-C in the terminal from reaching the process before we can stop it in order.
    detached: true,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    ...(options.env === undefined ? {} : { env: options.env }),
    ...(options.user === undefined ? {} : { uid: options.user.uid, gid: options.user.gid }),
  });
  if (output !== 'inherit') closeSync(output);
  child.on('error', () => undefined);
  const { pid } = child;
  if (pid === undefined) throw new LocalStackError(`${command} could not be run.`);

  const guarded = group ? -pid : pid;
  const endGuard = guardAgainstOurDeath(guarded, group ? 'SIGKILL' : stopSignal);
  const exited = new Promise<ServerExit>((resolve) => {
    child.once('exit', (code, signal) => {
      endGuard();
      if (group) sendToGroup(pid, 'SIGKILL'); // ends children that the process left behind
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
  return { pid, logStart, exited, stop };
}

/** Runs a program to its end. A failure says why, from its log. Throws LocalStackError. */
export async function runGuarded(
  what: string,
  options: GuardedOptions & { readonly log: string },
): Promise<void> {
  const { logStart, exited } = spawnGuarded(options);
  const exit = await exited;
  if (exit.code === 0) return;
  if (options.signal?.aborted === true) throw calledOff();
  throw new LocalStackError(
    `${what} failed (${inWords(exit)}):\n${failureReason(options.log, logStart)}`,
  );
}

export const calledOff = () => new LocalStackError('The start was called off.');

function sendToGroup(leader: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(-leader, signal);
  } catch {
    return false; // nobody is left in it
  }
}
