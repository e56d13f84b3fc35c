import { AppError } from '@junction/errors';
import { answerWithEvents } from '@junction/service/http';
import type { Response } from 'express';
import { actorOf } from './actor.js';
import type { Actor, Journal } from './journal.js';
import type { Facts } from './operation.js';

/** Change that takes long, and yields its progress. */
export interface LongChange<Progress> {
  readonly method: string;
  readonly asked: Facts;
  readonly work: (signal: AbortSignal) => AsyncIterable<Progress>;
  /** Returns the result as the event stores it; `last` is undefined when nothing was yielded. */
  readonly resultOf: (last: Progress | undefined) => Facts;
}

/**
 * Makes a change while its caller waits, with a message `progress` for each step. The change stops when the caller
 * hangs up, and counts as failed then, with AppError `called_off`.
 */
export const answerWithProgress = async <Progress>(
  res: Response,
  journal: Journal,
  change: LongChange<Progress>,
  view: (progress: Progress) => object,
): Promise<void> =>
  answerWithEvents(res, async (send, signal) =>
    runLong(actorOf(res), journal, change, {
      signal,
      onProgress: async (progress) => send({ type: 'progress', data: view(progress) }),
    }),
  );

interface Run<Progress> {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => Promise<void> | void;
}

/** Makes a change step by step. AppError `called_off` when the signal aborts before the end. */
export const runLong = async <Progress>(
  actor: Actor,
  journal: Pick<Journal, 'change'>,
  { method, asked, work, resultOf }: LongChange<Progress>,
  { signal, onProgress }: Run<Progress>,
): Promise<void> =>
  journal.change(actor, method, asked, async () => {
    let last: Progress | undefined;
    try {
      for await (const progress of work(signal)) {
        last = progress;
        await onProgress(progress);
      }
    } catch (cause) {
      if (signal.aborted) throw calledOff(cause);
      throw cause;
    }
    return { answer: undefined, result: resultOf(last) };
  });

const calledOff = (cause: unknown): AppError =>
  new AppError('called_off', 'The request for it ended before the work did.', { cause });
