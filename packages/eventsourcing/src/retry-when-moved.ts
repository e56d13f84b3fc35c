import { AppError } from '@junction/errors';
import { StreamMovedError } from './stream-moved-error.js';

const ATTEMPTS_MAX = 10;

/**
 * Runs `attempt` (load, decide, append) again when another append came first, so that the next attempt decides on the
 * new events; `attempt` gets its number, from 1. Changes within one process come one after the other, so the
 * competitors are replicas, and few: a stream contended as often as `attemptsMax` (default 10) has a design problem
 * that more attempts would only hide.
 * @throws AppError `stream_contended` after `attemptsMax` attempts.
 */
export async function retryWhenMoved<T>(
  attempt: (n: number) => Promise<T>,
  attemptsMax = ATTEMPTS_MAX,
): Promise<T> {
  for (let n = 1; ; n++) {
    try {
      return await attempt(n);
    } catch (error) {
      if (!(error instanceof StreamMovedError)) throw error;
      if (n >= attemptsMax) throw contended(error);
    }
  }
}

const contended = (cause: StreamMovedError): AppError =>
  new AppError(
    'stream_contended',
    'Others are changing the same thing at this moment. Try again.',
    { cause },
  );
