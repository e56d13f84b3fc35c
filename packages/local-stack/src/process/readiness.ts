import { setTimeout as sleep } from 'node:timers/promises';
import { LocalStackError } from '../local-stack-error.js';
import { isAlive, readMark } from '../preflight/process-identity.mjs';
import { failureReason } from './failure-reason.js';
import type { GuardedProcess } from './guarded-process.js';
import { inWords, type ServerExit } from './running-server.js';

const POLL_MS = 25;
const SILENCE_MS = 3_000;

/** A server that is being started. */
export interface Awaited extends Pick<GuardedProcess, 'logStart' | 'exited'> {
  /** Name of the server for the reader; `log` is the file of its output. */
  readonly server: string;
  readonly log: string;
  readonly answers: () => Promise<boolean>;
  /** Receives a line when the wait is a long one. */
  readonly say?: (line: string) => void;
}

/** Resolves once the server answers, however busy the machine is. Throws LocalStackError when the server ends first. */
export async function waitUntilReady(awaited: Awaited): Promise<void> {
  const { server, log, logStart, answers, say = () => undefined } = awaited;
  let exit: ServerExit | undefined;
  void awaited.exited.then((how) => (exit = how));

  const isReady = async () => {
    const isAnswered = await answers();
    // Another program may answer in the place of a server that has ended.
    if (exit === undefined) return isAnswered;
    const what = `${server} ended before it was ready (${inWords(exit)})`;
    throw new LocalStackError(`${what}:\n${failureReason(log, logStart)}`);
  };
  await until(isReady, () => say(`Waiting for ${server} to answer; it writes to ${log} …`));
}

/**
 * After a starter was killed its servers need a moment to follow. Waits until the one whose mark
 * lies in `file` has ended; rejects when `signal` aborts.
 */
export async function waitForLeftover(
  file: string,
  server: string,
  say: (line: string) => void,
  signal?: AbortSignal,
): Promise<void> {
  const mark = readMark(file);
  if (mark === undefined) return;
  const late = `Waiting for ${server} of an earlier start to end; kill ${mark.pid} ends it …`;
  await until(
    () => !isAlive(mark),
    () => say(late),
    signal,
  );
}

async function until(
  isSo: () => boolean | Promise<boolean>,
  onSilence: () => void,
  signal?: AbortSignal,
): Promise<void> {
  const late = setTimeout(onSilence, SILENCE_MS);
  try {
    while (!(await isSo())) await sleep(POLL_MS, undefined, { signal });
  } finally {
    clearTimeout(late);
  }
}
