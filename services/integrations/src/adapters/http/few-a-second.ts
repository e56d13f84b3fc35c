import { AppError } from '@junction/errors';
import { clientNetwork } from '@junction/service-kit/http';
import type { RequestHandler } from 'express';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

const PER_SECOND = 20;
const SECOND_MS = 1_000;

/** For work that anybody can cause: each network gets so much of it a second. `what` is in the plural. */
export function fewASecond(what: 'events' | 'questions'): RequestHandler {
  const limiter = new RateLimiterMemory({ points: PER_SECOND, duration: 1 });
  return async (req, _res, next) => {
    try {
      await limiter.consume(clientNetwork(req.ip ?? ''));
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error;
      throw new AppError(
        'rate_limited',
        `too_many_${what}`,
        `Too many ${what} from this network: ${PER_SECOND} a second are taken.`,
        { retryAfterS: error.msBeforeNext / SECOND_MS },
      );
    }
    next();
  };
}
