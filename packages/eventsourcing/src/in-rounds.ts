import { AppError } from '@junction/errors';
import { StreamMovedError } from './stream-moved-error.js';

const ROUNDS_MAX = 3;

/**
 * Loads, decides and appends again, with their facts in view, when others came first. A stream contended as often
 * as `roundsMax` (default 3) has a design problem that more rounds would only hide.
 * @throws AppError `stream_contended` then.
 */
export async function inRounds<T>(round: () => Promise<T>, roundsMax = ROUNDS_MAX): Promise<T> {
  for (let n = 1; ; n++) {
    try {
      return await round();
    } catch (error) {
      if (!(error instanceof StreamMovedError)) throw error;
      if (n >= roundsMax) throw contended(error);
    }
  }
}

const contended = (cause: StreamMovedError): AppError =>
  new AppError(
    'contended',
    'stream_contended',
    'Others are changing the same thing at this moment. Try again.',
    { cause },
  );
