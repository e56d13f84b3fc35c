import { AppError, isOutage } from '@junction/errors';
import type { Response } from 'express';
import { onceClosed } from './server-sent-events.js';

/** Longest time that a request may read for: shorter than a statement may take. */
const READ_MAX_MS = 25_000;

/** Signal of one request. */
export interface RequestSignal {
  /** Aborts when the caller has hung up, or has waited for too long. */
  readonly signal: AbortSignal;
  /** Tells whether work has failed because the signal cut it. */
  cut(error: unknown): boolean;
  /** Ends the time that the request may take. */
  end(): void;
}

/** Makes the signal of a request that is being answered. `endless`: its answer is a stream, which has no deadline. */
export function requestSignal(res: Response, { endless }: { endless: boolean }): RequestSignal {
  const ending = new AbortController();
  const { signal } = ending;
  onceClosed(res, () => ending.abort());
  const deadline = endless ? undefined : setTimeout(() => ending.abort(tooLong()), READ_MAX_MS);
  return {
    signal,
    cut: (error) => signal.aborted && (error === signal.reason || isOutage(error)),
    end: () => clearTimeout(deadline),
  };
}

const tooLong = (): AppError =>
  new AppError(
    'deadline_exceeded',
    'This took longer than a request may read for. Ask for less at a time.',
    { retryAfterS: 1 },
  );
