import { setTimeout as sleep } from 'node:timers/promises';
import { LocalStackError } from '../local-stack-error.js';
import { isAlive, readMark } from '../preflight/process-identity.mjs';
import { failureReason } from './failure-reason.js';
import type { GuardedProcess } from './guarded-process.js';
import { inWords, type ServerExit } from './running-server.js';

const POLL_MS = 25;
const SILENCE_MS = 3_000;
const LEFTOVER_MS = 15_000;

/** What is waited for. */
export interface Awaited extends Pick<GuardedProcess, 'logStart' | 'exited'> {
  /** Its name for the reader, and where its words go. */
  readonly server: string;
  readonly log: string;
  readonly answers: () => Promise<boolean>;
  readonly deadlineMs: number;
  /** Hears of it when the wait is a long one. */
  readonly say?: (line: string) => void;
}

/** Resolves once it answers. Throws LocalStackError when it ends first, or the deadline passes. */
export async function waitUntilReady(awaited: Awaited): Promise<void> {
  const { server, answers, deadlineMs, say = () => undefined } = awaited;
  let exit: ServerExit | undefined;
  void awaited.exited.then((how) => (exit = how));

  const start = Date.now();
  let isSaid = false;
  while (!(await answers())) {
    const within = `${deadlineMs / 1_000} s`;
    const waitedMs = Date.now() - start;
    if (exit) throw notReady(awaited, `ended before it was ready (${inWords(exit)})`);
    if (waitedMs > deadlineMs) throw notReady(awaited, `was not ready within ${within}`);
    if (waitedMs > SILENCE_MS && !isSaid) {
      say(`Waiting for ${server} to answer, ${within} at most …`);
      isSaid = true;
    }
    await sleep(POLL_MS);
  }
}

const notReady = ({ server, log, logStart }: Awaited, what: string) =>
  new LocalStackError(`${server} ${what}:\n${failureReason(log, logStart)}`);

/**
 * After a starter was killed its servers need a moment to follow. Waits for the one whose mark
 * lies in `file`; throws LocalStackError when it stays.
 */
export async function waitForLeftover(
  file: string,
  server: string,
  say: (line: string) => void,
): Promise<void> {
  const mark = readMark(file);
  if (mark === undefined) return;
  const start = Date.now();
  let isSaid = false;
  while (isAlive(mark)) {
    if (Date.now() - start > LEFTOVER_MS) {
      throw new LocalStackError(
        `${server} of an earlier start is still running on these data as process ${mark.pid}. ` +
          `End it (kill ${mark.pid}) and start again.`,
      );
    }
    if (!isSaid && Date.now() - start > SILENCE_MS) {
      say(`Waiting for ${server} of an earlier start (process ${mark.pid}) to end …`);
      isSaid = true;
    }
    await sleep(POLL_MS);
  }
}
