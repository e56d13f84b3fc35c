import { AppError } from '@junction/errors';
import type { Request, Response } from 'express';

/**
 * User who makes a request. `sessionId` is there only with a JWT of our own, `issuerId` only with another issuer's,
 * `keyId` and `secretId` only with an API key; `scopes` are those of the token or key.
 */
export interface Caller {
  readonly kind: 'user';
  readonly userId: string;
  /** `portal`: a page of ours in another product's frame, which a service has opened for the user. */
  readonly via: 'jwt' | 'api_key' | 'portal';
  readonly sessionId?: string;
  /** Id of the issuer of the JWT, as in TRUSTED_ISSUERS_FILE. */
  readonly issuerId?: string;
  /** Whether the user operates the installation, as a token shows: an API key never does. */
  readonly isOperator?: boolean;
  /** Whether the user has to verify their address before they may use everything. */
  readonly isUnverified?: boolean | undefined;
  readonly keyId?: string;
  /** Id of the portal; absent: its token is of before portals had ids. */
  readonly portalId?: string | undefined;
  /** Id of the key's secret that was shown. */
  readonly secretId?: string;
  readonly scopes: readonly string[];
  /** Time at which the second factor was shown last; absent: the caller has none, or shows an API key. */
  readonly mfaAt?: Date | undefined;
  /**
   * Time at which the user of a session, or of a trusted issuer's token that says so, signed in, or showed who they are
   * again; a refresh does neither.
   */
  readonly authenticatedAt?: Date | undefined;
  /** Time at which the token or the API key ends, if it does; work that goes on for longer ends with it. */
  readonly expiresAt?: Date | undefined;
}

// The key is the response; in `res.locals` any middleware could write a caller.
const callers = new WeakMap<Response, Caller>();

export const setCaller = (res: Response, caller: Caller): void => void callers.set(res, caller);

export const findCaller = (res: Response): Caller | undefined => callers.get(res);

/**
 * Returns the caller of a request. Fails closed: a route mounted without `authenticateUser` in front of it answers
 * nobody.
 */
export function callerOf(res: Response): Caller {
  const caller = callers.get(res);
  if (caller) return caller;
  throw new AppError('unauthenticated', 'Sign in to use this resource.');
}

// Services have ids of their own kind: a client is never taken for a user.
const clients = new WeakMap<Response, string>();

export const setClient = (res: Response, clientId: string): void => void clients.set(res, clientId);

/** Returns the client whose service token came with a request; undefined for everybody else. */
export const findClient = (res: Response): string | undefined => clients.get(res);

/** Returns the ids by which a caller may be revoked: a single revoked id is enough. */
export const revocableIds = (caller: Caller): readonly string[] =>
  [caller.userId, caller.sessionId, caller.keyId, caller.secretId, caller.portalId].filter(
    (id) => id !== undefined,
  );

const requestIds = new WeakMap<Response, string>();

export const setRequestId = (res: Response, id: string): void => void requestIds.set(res, id);

/** Returns our own id of a request, never the caller's. The id is in our logs and in X-Request-Id. */
export const requestIdOf = (res: Response): string => requestIds.get(res) ?? '';

const routes = new WeakMap<Response, string>();

export const setRoute = (res: Response, route: string): void => void routes.set(res, route);

/** Returns the pattern of the route that answers, `/api/webhooks/:id`; empty when there is none. */
export const routeOf = (res: Response): string => routes.get(res) ?? '';

const costs = new WeakMap<Response, number>();

export const setCost = (res: Response, cost: number): void => void costs.set(res, cost);

/** Returns how many requests this one counts for in its caller's limit. */
export const costOf = (res: Response): number => costs.get(res) ?? 1;

/** Returns the path of the request, without the query, which may hold a code or a token. */
export const pathOf = (req: Request): string => req.originalUrl.split('?', 1)[0] ?? '/';
