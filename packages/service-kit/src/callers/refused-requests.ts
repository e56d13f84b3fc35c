import type { RequestHandler } from 'express';
import { findCaller, routeOf } from '../servers/http/caller.js';
import { problemOf } from '../servers/http/problem.js';

/** A request of a user who is known, and who lacks a role, a scope or a second factor for it. */
export interface RefusedRequest {
  readonly userId: string;
  /** Method and pattern of the route, `GET /api/ops/auth/users/:id`: nothing in it is the caller's own text. */
  readonly method: string;
  /** Of the problem that was answered. */
  readonly code: string;
}

const REFUSALS = [401, 403];

/**
 * Stands before all that may refuse, and tells of it when the answer is out, so that no answer waits. Requests without a
 * valid credential are not told of: they are nobody's.
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
