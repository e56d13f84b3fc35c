import { semaphore, turns } from '@junction/async';
import { AppError } from '@junction/errors';

/** Runs work that opens many bodies when there is room for it. */
export type SearchRoom = <T>(userId: string, work: () => Promise<T>) => Promise<T>;

/** Searches at the same time in a replica, each of which has bodies in memory and goes on for seconds. */
const AT_ONCE_MAX = 2;
const WAITING_MAX = 50;
/** Calls of one user that wait for the user's one turn. */
const WAITING_OF_USER_MAX = 3;
const WAIT_MAX_MS = 10_000;
const RETRY_AFTER_S = 2;

/**
 * Makes the room of a replica: one search of a user at a time, in the order of the calls, and few of all users. A user
 * with many searches so waits behind their own, and has one place of the few. @throws AppError `too_busy`
 */
export function searchRoom(): SearchRoom {
  const waiting = { waitMaxMs: WAIT_MAX_MS, refusal: tooBusy };
  const ofUser = turns({ ...waiting, waitingMax: WAITING_OF_USER_MAX });
  const ofAll = semaphore({ ...waiting, atOnceMax: AT_ONCE_MAX, waitingMax: WAITING_MAX });
  return (userId, work) => ofUser(userId, () => ofAll(work));
}

const tooBusy = (): AppError =>
  new AppError('too_busy', 'Other searches are under way. Repeat this one in a moment.', {
    retryAfterS: RETRY_AFTER_S,
  });
