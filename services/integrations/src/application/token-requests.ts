import { AppError } from '@junction/errors';

/**
 * Requests to token endpoints (RFC 6749, section 3.2), with all that is done with their answers. Each answer may hold
 * tokens that exist nowhere else, so a stop waits for requests under way and sends no other.
 */
export interface TokenRequests {
  /** Throws AppError `stopping` while the service stops. */
  readonly refuseWhenStopping: () => void;
  /** Returns the result of the work. A stop waits for the work, also when its caller has hung up. */
  readonly follow: <T>(work: Promise<T>) => Promise<T>;
  /** Refuses further work from now on. Resolves when all work under way is over. */
  readonly drain: () => Promise<void>;
}

export function tokenRequests(): TokenRequests {
  const underWay = new Set<Promise<unknown>>();
  let isStopping = false;
  return {
    refuseWhenStopping() {
      if (isStopping) throw stopping();
    },

    async follow(work) {
      underWay.add(work);
      return work.finally(() => underWay.delete(work));
    },

    async drain() {
      isStopping = true;
      await Promise.allSettled(underWay);
    },
  };
}

export const stopping = (): AppError =>
  new AppError(
    'stopping',
    'This replica is stopping and asks for no more tokens. Ask again: another one answers.',
    { retryAfterS: 1 },
  );
