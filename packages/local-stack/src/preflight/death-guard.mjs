import { spawn } from 'node:child_process';

/**
 * Has a process, or a process group (a negative number), get a signal when this process is gone, however it ended,
 * SIGKILL included. A shell does it: its `read` returns at the end of a pipe, which comes when nobody holds the other
 * end. Returns a function that calls the guard off, for when the guarded process has ended.
 * @param {number} target
 * @param {NodeJS.Signals} signal
 */
export function guardAgainstOurDeath(target, signal) {
  const script = 'read -r _; kill -s "$0" -- "$1"';
  const guard = spawn('/bin/sh', ['-c', script, signal.replace(/^SIG/, ''), String(target)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true, // or the Ctrl-C that we handle ourselves would end the guard first
  });
  guard.on('error', () => undefined);
  guard.unref();
  return () => void guard.kill('SIGKILL');
}
