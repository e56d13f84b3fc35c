import { turns } from '@junction/async';
import { AppError } from '@junction/errors';
import type { Command, Event, HandleCommand } from '../index.js';

/**
 * Maximum of waiting changes. A change takes some ten milliseconds, so the last one waits for about two seconds, and on
 * a busy machine for ten times as long.
 */
const WAITING_MAX = 200;
const WAIT_MAX_MS = 20_000;

/**
 * Runs a change of what the key names, a stream for instance, after all earlier changes of the same key in this
 * process. A waiting change holds no connection to the database, and does not find that the stream has moved. Never
 * call it from within a change of the same key: the call would wait for itself.
 * @throws AppError `too_busy` when 200 changes wait already, or after twenty seconds.
 */
export const inTurn = turns({
  waitingMax: WAITING_MAX,
  waitMaxMs: WAIT_MAX_MS,
  refusal: () =>
    new AppError(
      'too_busy',
      'Many changes of the same thing wait for each other. Send them one after the other.',
      { retryAfterS: 1 },
    ),
});

/** Handles commands of one stream in turn. */
export const oneByOne =
  <C extends Command, E extends Event>(handle: HandleCommand<C, E>): HandleCommand<C, E> =>
  (streamId, ...command) =>
    inTurn(streamId, () => handle(streamId, ...command));
