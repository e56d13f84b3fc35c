import type { RequestHandler } from 'express';
import { findCaller, routeOf } from '../servers/http/caller.js';
import { problemOf } from '../servers/http/problem.js';

/** Request of a known user who lacks a role, a scope or a second factor for it. */
export interface RefusedRequest {
  readonly userId: string;
  /** Method and pattern of the route, `GET /api/ops/auth/users/:id`: no text of the caller is in it. */
  readonly method: string;
  /** Code of the problem that the request was answered with. */
  readonly code: string;
}

const REFUSALS = [401, 403];

/**
 * Reports refused requests. Stands before every handler that may refuse, and reports when the answer is out, so that no
 * answer waits. Requests without a valid credential are not reported, because they belong to no user.
 */
export const tellRefusals =
  (told: (refused: RefusedRequest) => void): RequestHandler =>
  (req, res, next) => {
    res.once('close', () => {
      const caller = findCaller(res);
      const problem = problemOf(res);
      if (caller === undefined || problem === undefined || !REFUSALS.includes(problem.status))
        return;
      const method = `${req.method} ${routeOf(res)}`;
      told({ userId: caller.userId, method, code: problem.code });
    });
    next();
  };
