import path from 'node:path';
import type { ServerExit } from '@junction/local-stack';
import {
  failureReason,
  type GuardedProcess,
  inWords,
  spawnGuarded,
} from '@junction/local-stack/process';
import { type MemberSettings, SETTINGS_VARIABLE } from '../member/settings.js';
import type { Member } from '../schedule.js';

const PROGRAM = path.join(import.meta.dirname, '../../../dist/chaos/member/main.js');
const GRACE_MS = 10_000;

/** A process of ours, over all of its lives. */
export interface MemberProcess {
  readonly name: Member;
  start(): void;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
  send(signal: 'SIGSTOP' | 'SIGCONT'): void;
  /** Resolves when the process that runs now ends. */
  ended(): Promise<ServerExit>;
}

/**
 * Starts a process of a run. The process cannot outlive this one, not even while it is stopped: its guard is a
 * SIGKILL. `onUnasked` is called with words for the reader when the process ends without having been killed.
 */
export function memberProcess(
  settings: MemberSettings & { readonly name: Member },
  { logsDir, onUnasked }: { readonly logsDir: string; onUnasked(how: string): void },
): MemberProcess {
  const { name } = settings;
  const log = path.join(logsDir, `${name}.log`);
  let current: GuardedProcess;

  const start = (): void => {
    current = spawnGuarded({
      command: process.execPath,
      args: ['--enable-source-maps', PROGRAM],
      env: { [SETTINGS_VARIABLE]: JSON.stringify(settings) },
      log,
      stopSignal: 'SIGKILL',
      graceMs: GRACE_MS,
    });
    const { logStart } = current;
    void current.exited.then((exit) => {
      if (exit.signal === 'SIGKILL' || exit.code === 0) return;
      onUnasked(`${name} ended by itself (${inWords(exit)}):\n${failureReason(log, logStart)}`);
    });
  };
  start();
  return {
    name,
    start,
    kill: () => current.stop(),
    send: (signal) => void process.kill(current.pid, signal),
    ended: () => current.exited,
  };
}
