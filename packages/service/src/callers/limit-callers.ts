import { hash } from 'node:crypto';
import { AppError } from '@junction/errors';
import type { Request, RequestHandler, Response } from 'express';
import { callerOf, costOf, routeOf } from '../http/caller.js';
import { showRateLimit } from '../http/rate-limit.js';
import { type requestTurns, setTurn, type TakeTurn, tooManyAtOnce } from '../http/request-turns.js';
import { ACCESS_COOKIE, cookieValues } from './browser-session.js';
import type { SharedUse } from './shared-use.js';

/** Seconds of the window in which a caller's requests are counted. */
export const CALLERS_WINDOW_S = 10;
const SECOND_MS = 1_000;
/** Milliseconds for which a route whose line was full is refused: as long as Retry-After says. */
const LINE_FULL_MS = SECOND_MS;
const REMEMBERED_MAX = 10_000;

export interface CallersLimit {
  /**
   * Stands before `authenticateUser`: where nothing is left to a caller, or their line is full, the credential is not
   * even looked at, so that refusals cost next to nothing.
   */
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
  limitOf: () => number,
  use: SharedUse,
  turnsOf: ReturnType<typeof requestTurns>,
): CallersLimit {
  /** Moments until which requests are refused, by credential, or by credential and route. */
  const refusedUntil = new Map<string, number>();
  const refuseFor = (key: string, ms: number): void => {
    // Should there be very many, all begin anew rather than grow.
    if (refusedUntil.size >= REMEMBERED_MAX) refusedUntil.clear();
    refusedUntil.set(key, Date.now() + ms);
  };
  const leftOf = (key: string): number => (refusedUntil.get(key) ?? 0) - Date.now();

  const show = (res: Response, remaining: number, resetMs: number): void => {
    const resetS = resetMs / SECOND_MS;
    const limit = limitOf();
    showRateLimit(res, { name: 'api', limit, windowS: CALLERS_WINDOW_S, remaining, resetS });
  };

  return {
    before(req, res, next) {
      const credential = credentialKey(req);
      const leftMs = leftOf(credential);
      if (leftMs > 0) {
        show(res, 0, leftMs);
        throw tooMany(limitOf(), leftMs / SECOND_MS);
      }
      if (leftOf(`${credential}${routeOf(res)}`) > 0) throw tooManyAtOnce();
      next();
    },

    behind(req, res, next) {
      const limit = limitOf();
      const key = callerKey(res);
      // The cost of a single request never exceeds the limit, so that each route can be used.
      const cost = Math.min(costOf(res), limit);
      const left = limit - use.count(key, 0).used;
      const { used, resetMs } = use.count(key, left < cost ? 0 : cost);
      if (left < 1) refuseFor(credentialKey(req), resetMs);
      show(res, Math.max(0, limit - used), resetMs);
      if (left < cost) throw tooMany(limit, resetMs / SECOND_MS);
      const onFull = () => refuseFor(`${credentialKey(req)}${routeOf(res)}`, LINE_FULL_MS);
      setTurn(res, unlessFull(turnsOf(callerOf(res).userId, cost), onFull));
      next();
    },
  };
}

/** Calls `onFull` where the work is refused its turn. */
const unlessFull =
  (take: TakeTurn, onFull: () => void): TakeTurn =>
  async (work, signal) => {
    let isBegun = false;
    const begun = () => {
      isBegun = true;
      return work();
    };
    return take(begun, signal).catch((error: unknown) => {
      if (!isBegun && !signal.aborted) onFull();
      throw error;
    });
  };

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
