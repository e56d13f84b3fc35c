import { turns } from '@junction/async';
import { AppError } from '@junction/errors';
import type { Command, Event, HandleCommand } from '@junction/eventsourcing';

/** Each takes some ten milliseconds, so the last one waits for about two seconds, and on a busy machine for ten times that. */
const WAITING_MAX = 200;
const WAIT_MAX_MS = 20_000;

/**
 * Changes what the key names, a stream for instance, when all that this process was asked to change of it before is
 * done. Who waits here holds no connection to the database, and does not find that the stream has moved. Not from
 * within such a change of the same key: it would wait for itself.
 * @throws AppError `too_busy` for one beyond 200 that wait, or after twenty seconds.
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
