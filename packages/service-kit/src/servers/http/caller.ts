import { AppError } from '@junction/errors';
import type { Request, Response } from 'express';

/** Who asks. `sessionId` only with a JWT of our own, `issuerId` only with another issuer's, `keyId` and `secretId` only with an API key; scopes as either carries them. */
export interface Caller {
  readonly kind: 'user';
  readonly userId: string;
  /** `portal`: a page of ours in another product's frame, which a service has opened for the user. */
  readonly via: 'jwt' | 'api_key' | 'portal';
  readonly sessionId?: string;
  /** Whose JWT it is, by its id in TRUSTED_ISSUERS_FILE. */
  readonly issuerId?: string;
  /** The user operates the installation, and shows it with a token: no API key does. */
  readonly isOperator?: boolean;
  /** The user has to verify their address before some of what they may do otherwise. */
  readonly isUnverified?: boolean | undefined;
  readonly keyId?: string;
  /** Which of the key's secrets was shown. */
  readonly secretId?: string;
  readonly scopes: readonly string[];
  /** When the second factor was shown last; absent: the caller has none, or shows an API key. */
  readonly mfaAt?: Date | undefined;
  /** When the user of a session signed in, or showed who they are again; a refresh is neither. */
  readonly authenticatedAt?: Date | undefined;
  /** When the token or the API key ends, if it does; what goes on for longer ends with it. */
  readonly expiresAt?: Date | undefined;
}

// Keyed by the response instead of kept in `res.locals`, where any middleware could write a caller.
const callers = new WeakMap<Response, Caller>();

export const setCaller = (res: Response, caller: Caller): void => void callers.set(res, caller);

export const findCaller = (res: Response): Caller | undefined => callers.get(res);

/** Fails closed: a route mounted without `authenticateUser` in front of it answers nobody. */
export function callerOf(res: Response): Caller {
  const caller = callers.get(res);
  if (caller) return caller;
  throw new AppError('unauthenticated', 'Sign in to use this resource.');
}

/** What of a caller may be revoked: one of these is enough. */
export const revocableIds = ({ userId, sessionId, keyId, secretId }: Caller): readonly string[] =>
  [userId, sessionId, keyId, secretId].filter((id) => id !== undefined);

const requestIds = new WeakMap<Response, string>();

export const setRequestId = (res: Response, id: string): void => void requestIds.set(res, id);

/** Ours, never the caller's: it names this request in our logs and in X-Request-Id. */
export const requestIdOf = (res: Response): string => requestIds.get(res) ?? '';

const routes = new WeakMap<Response, string>();

export const setRoute = (res: Response, route: string): void => void routes.set(res, route);

/** The pattern of the route that answers, `/api/webhooks/:id`; empty: there is none. */
export const routeOf = (res: Response): string => routes.get(res) ?? '';

/** The path as it was asked for, without the query: that may hold a code or a token. */
export const pathOf = (req: Request): string => req.originalUrl.split('?', 1)[0] ?? '/';
