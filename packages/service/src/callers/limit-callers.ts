import { AppError } from '@junction/errors';
import type { RequestHandler, Response } from 'express';
import { callerOf } from '../http/caller.js';
import { showRateLimit } from '../http/rate-limit.js';
import type { SharedUse } from './shared-use.js';

/** Seconds of the window in which a caller's requests are counted. */
export const CALLERS_WINDOW_S = 10;
const SECOND_MS = 1_000;

/**
 * Limits how many requests each user and each API key may make in ten seconds, over all replicas together, so that a
 * caller that runs wild keeps no other waiting. Stands behind `authenticateUser`. AppError `too_many_requests`.
 */
export const limitCallers =
  (limit: number, use: SharedUse): RequestHandler =>
  (_req, res, next) => {
    const { used, resetMs } = use.count(callerKey(res));
    const resetS = resetMs / SECOND_MS;
    const remaining = Math.max(0, limit - used);
    showRateLimit(res, { name: 'api', limit, windowS: CALLERS_WINDOW_S, remaining, resetS });
    if (used > limit) throw tooMany(limit, resetS);
    next();
  };

function callerKey(res: Response): string {
  const { keyId, userId } = callerOf(res);
  return keyId ?? userId;
}

const tooMany = (limit: number, retryAfterS: number): AppError =>
  new AppError(
    'too_many_requests',
    `A user or an API key may ask ${limit} times in ${CALLERS_WINDOW_S} seconds. Wait, and go on more slowly.`,
    { retryAfterS },
  );
