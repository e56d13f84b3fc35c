import { AppError } from '@junction/errors';
import type { RequestHandler, Response } from 'express';
import { callerOf, costOf } from '../http/caller.js';
import { showRateLimit } from '../http/rate-limit.js';
import { type requestTurns, setTurn } from '../http/request-turns.js';
import type { SharedUse } from './shared-use.js';

/** Seconds of the window in which a caller's requests are counted. */
export const CALLERS_WINDOW_S = 10;
const SECOND_MS = 1_000;

/**
 * Limits how many requests each user and each API key may make in ten seconds, over all replicas together, and how
 * many of a user's run at a time in this one, so that a caller that runs wild keeps no other waiting. Stands behind
 * `authenticateUser`. AppError `too_many_requests`.
 */
export const limitCallers =
  (limit: number, use: SharedUse, turnsOf: ReturnType<typeof requestTurns>): RequestHandler =>
  (_req, res, next) => {
    const cost = costOf(res);
    // The cost of a single request never exceeds the limit, so that each route can be used.
    const { used, resetMs } = use.count(callerKey(res), Math.min(cost, limit));
    const resetS = resetMs / SECOND_MS;
    const remaining = Math.max(0, limit - used);
    showRateLimit(res, { name: 'api', limit, windowS: CALLERS_WINDOW_S, remaining, resetS });
    if (used > limit) throw tooMany(limit, resetS);
    setTurn(res, turnsOf(callerOf(res).userId, cost));
    next();
  };

function callerKey(res: Response): string {
  const { keyId, userId } = callerOf(res);
  return keyId ?? userId;
}

const tooMany = (limit: number, retryAfterS: number): AppError =>
  new AppError(
    'too_many_requests',
    `A user or an API key may ask ${limit} times in ${CALLERS_WINDOW_S} seconds, fewer where a route costs more. Wait, and go on more slowly.`,
    { retryAfterS },
  );
