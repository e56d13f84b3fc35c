import type { ErrorRequestHandler } from 'express';
import { RateLimitedError } from '../../application/rate-limited-error.js';

/** The RateLimit fields of draft-ietf-httpapi-ratelimit-headers-06, the form most clients read. */
export const rateLimitHeaders: ErrorRequestHandler = (error: unknown, _req, res, next) => {
  if (error instanceof RateLimitedError) {
    const { limit, windowS, resetS } = error.spent;
    res.set({
      'ratelimit-policy': `${limit};w=${windowS}`,
      'ratelimit-limit': String(limit),
      'ratelimit-remaining': '0',
      'ratelimit-reset': String(resetS),
    });
  }
  next(error);
};
