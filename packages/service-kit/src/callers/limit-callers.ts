import { AppError } from '@junction/errors';
import type { RequestHandler, Response } from 'express';
import { callerOf } from '../servers/http/caller.js';
import { rateLimit } from '../servers/http/rate-limit.js';

const WINDOW_S = 10;

/**
 * Lets each user and each API key ask so many times in ten seconds, of this replica: one of them that runs wild
 * must not keep the others waiting. Stands behind `authenticateUser`. AppError `too_many_requests`.
 */
export const limitCallers = (limit: number): RequestHandler =>
  rateLimit({ name: 'api', limit, windowS: WINDOW_S, keyOf: callerKey, refusal: tooMany(limit) });

function callerKey(_req: unknown, res: Response): string {
  const { keyId, userId } = callerOf(res);
  return keyId ?? userId;
}

const tooMany =
  (limit: number) =>
  (retryAfterS: number): AppError =>
    new AppError(
      'rate_limited',
      'too_many_requests',
      `A user or an API key may ask ${limit} times in ${WINDOW_S} seconds. Wait, and go on more slowly.`,
      { retryAfterS },
    );
