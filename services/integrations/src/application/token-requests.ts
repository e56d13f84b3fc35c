import { AppError } from '@junction/errors';

/**
 * Requests to token endpoints (RFC 6749, section 3.2), with all that is done with their answers. Each answer
 * may hold tokens that nobody else has, so a stop waits for those under way and has no other sent.
 */
export interface TokenRequests {
  /** AppError `stopping`. */
  readonly refuseWhenStopping: () => void;
  /** Gives what came of it. A stop waits for it, also when whoever asked has hung up. */
  readonly follow: <T>(work: Promise<T>) => Promise<T>;
  /** From now on further ones are refused. Returns when those under way are over. */
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
