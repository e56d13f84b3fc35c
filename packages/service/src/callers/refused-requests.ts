import type { RequestHandler, Response } from 'express';
import { findCaller, findClient, routeOf } from '../http/caller.js';
import { problemOf } from '../http/problem.js';

/** Request of a known user or service that lacks a role, a scope or a second factor for it. */
export interface RefusedRequest {
  readonly actor: { readonly userId: string } | { readonly clientId: string };
  /** Method and pattern of the route, `GET /api/ops/auth/users/:id`: no text of the caller is in it. */
  readonly method: string;
  /** Code of the problem that the request was answered with. */
  readonly code: string;
}

const REFUSALS = [401, 403];

/**
 * Reports refused requests. Stands before every handler that may refuse, and reports when the answer is out, so that no
 * answer waits. Requests without a valid credential are not reported, because they belong to no one that is known.
 */
export const tellRefusals =
  (told: (refused: RefusedRequest) => void): RequestHandler =>
  (req, res, next) => {
    res.once('close', () => {
      const actor = actorOf(res);
      const problem = problemOf(res);
      if (actor === undefined || problem === undefined || !REFUSALS.includes(problem.status))
        return;
      told({ actor, method: `${req.method} ${routeOf(res)}`, code: problem.code });
    });
    next();
  };

function actorOf(res: Response): RefusedRequest['actor'] | undefined {
  const caller = findCaller(res);
  if (caller) return { userId: caller.userId };
  const clientId = findClient(res);
  return clientId === undefined ? undefined : { clientId };
}
