import { spawn } from 'node:child_process';
import { findProgram } from '../preflight/find-program.mjs';

/**
 * How a child is kept from outliving its starter, however that ends, SIGKILL included. Linux does
 * it in the kernel, by setpriv of util-linux; elsewhere a shell waits for our end of a pipe to close.
 */
export interface DeathGuard {
  readonly command: string;
  readonly args: readonly string[];
  /** Function to be called with the child's pid once the child runs; absent when the kernel guards the child. */
  readonly watch?: (pid: number) => { end(): void };
}

/** The command that runs `command` under guard: the child gets `signal` when this process ends. */
export function deathGuard(
  command: string,
  args: readonly string[],
  signal: NodeJS.Signals,
): DeathGuard {
  const setpriv = process.platform === 'linux' ? findProgram('setpriv', process.env) : undefined;
  const name = signal.replace(/^SIG/, '');
  return setpriv === undefined
    ? { command, args, watch: (pid) => endWithUs(pid, name) }
    : { command: setpriv, args: ['--pdeathsig', name, command, ...args] };
}

/** A whole process group under guard: children of children die too. */
export const groupGuard = (command: string, args: readonly string[]): DeathGuard => ({
  command,
  args,
  watch: (pid) => endWithUs(-pid, 'KILL'),
});

function endWithUs(target: number, signal: string): { end(): void } {
  // `read` returns at the end of the pipe, which comes when this process is gone. The watcher is detached, or the
  // Ctrl-C that we handle ourselves would end the watcher first.
  const script = 'read -r _; kill -s "$0" -- "$1"';
  const watcher = spawn('/bin/sh', ['-c', script, signal, String(target)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  watcher.on('error', () => undefined);
  watcher.unref();
  return { end: () => void watcher.kill('SIGKILL') };
}
