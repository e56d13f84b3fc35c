import { AppError } from '@junction/errors';
import type { Request, RequestHandler, Response } from 'express';
import { findClient, setClient } from '../http/caller.js';
import { invalidToken, type VerifyToken } from './token-verifier.js';

/**
 * Returns the client of a call. Fails closed: a route mounted without `authenticateService` in front of it answers
 * nobody.
 */
export function clientOf(res: Response): string {
  const clientId = findClient(res);
  if (clientId !== undefined) return clientId;
  throw refused();
}

/**
 * Lets a service through whose token is for this service and has the scope of the request's method. Refuses everybody
 * else: a user's token, an API key, a cookie. AppError `service_token_refused`, `scope_missing`.
 */
export const authenticateService =
  (verify: VerifyToken, scopeOf: (method: string) => string): RequestHandler =>
  async (req, res, next) => {
    const { clientId, scopes } = await verify(bearerOf(req)).catch((cause: unknown) => {
      throw AppError.from(cause).kind === 'unauthenticated' ? refused(cause) : cause;
    });
    if (clientId === undefined) throw refused();
    setClient(res, clientId);
    const scope = scopeOf(req.method);
    if (!scopes.includes(scope)) {
      throw new AppError('scope_missing', `This needs a service token with the scope ${scope}.`);
    }
    next();
  };

function bearerOf({ headers }: Request): string {
  const jwt = /^Bearer +([\w.-]+)$/i.exec(headers.authorization ?? '')?.[1];
  if (jwt === undefined) throw refused(invalidToken());
  return jwt;
}

const refused = (cause?: unknown): AppError =>
  new AppError(
    'service_token_refused',
    'Send a service token for this service as Authorization: Bearer …, from POST /oauth/token.',
    { cause },
  );
