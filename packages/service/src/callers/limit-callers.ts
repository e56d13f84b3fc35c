import { hash } from 'node:crypto';
import { AppError } from '@junction/errors';
import type { Request, RequestHandler, Response } from 'express';
import { callerOf, costOf } from '../http/caller.js';
import { showRateLimit } from '../http/rate-limit.js';
import { type requestTurns, setTurn } from '../http/request-turns.js';
import { ACCESS_COOKIE, cookieValues } from './browser-session.js';
import type { SharedUse } from './shared-use.js';

/** Seconds of the window in which a caller's requests are counted. */
export const CALLERS_WINDOW_S = 10;
const SECOND_MS = 1_000;
const REMEMBERED_MAX = 10_000;

export interface CallersLimit {
  /** Stands before `authenticateUser`: a credential whose caller has nothing left is not even looked at. */
  readonly before: RequestHandler;
  /** Stands behind `authenticateUser`. */
  readonly behind: RequestHandler;
}

/**
 * Limits how many requests each user and each API key may make in ten seconds, over all replicas together, and how
 * many of a user's run at a time in this one, so that a caller that runs wild keeps no other waiting. A refused request
 * does not count. AppError `too_many_requests`.
 */
export function limitCallers(
  limit: number,
  use: SharedUse,
  turnsOf: ReturnType<typeof requestTurns>,
): CallersLimit {
  const spent = new Map<string, number>();

  const show = (res: Response, remaining: number, resetMs: number): void => {
    const resetS = resetMs / SECOND_MS;
    showRateLimit(res, { name: 'api', limit, windowS: CALLERS_WINDOW_S, remaining, resetS });
  };

  return {
    before(req, res, next) {
      const leftMs = (spent.get(credentialKey(req)) ?? 0) - Date.now();
      if (leftMs <= 0) return next();
      show(res, 0, leftMs);
      throw tooMany(limit, leftMs / SECOND_MS);
    },

    behind(req, res, next) {
      const key = callerKey(res);
      // The cost of a single request never exceeds the limit, so that each route can be used.
      const cost = Math.min(costOf(res), limit);
      const left = limit - use.count(key, 0).used;
      const { used, resetMs } = use.count(key, left < cost ? 0 : cost);
      if (left < 1) {
        // Should there be very many, all begin anew rather than grow.
        if (spent.size >= REMEMBERED_MAX) spent.clear();
        spent.set(credentialKey(req), Date.now() + resetMs);
      }
      show(res, Math.max(0, limit - used), resetMs);
      if (left < cost) throw tooMany(limit, resetMs / SECOND_MS);
      setTurn(res, turnsOf(callerOf(res).userId, cost));
      next();
    },
  };
}

function callerKey(res: Response): string {
  const { keyId, userId } = callerOf(res);
  return keyId ?? userId;
}

/** Returns what stands for all credentials of a request, and is none. */
const credentialKey = (req: Request): string =>
  hash(
    'sha256',
    JSON.stringify([req.headers.authorization ?? null, ...cookieValues(req, ACCESS_COOKIE)]),
    'base64',
  );

const tooMany = (limit: number, retryAfterS: number): AppError =>
  new AppError(
    'too_many_requests',
    `A user or an API key may ask ${limit} times in ${CALLERS_WINDOW_S} seconds, fewer where a route costs more. Wait, and go on more slowly.`,
    { retryAfterS },
  );
