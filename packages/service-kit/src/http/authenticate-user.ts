import { AppError } from '@junction/errors';
import type { RequestHandler } from 'express';
import { invalidToken, type VerifyToken } from '../tokens/token-verifier.js';
import { type Caller, setCaller } from './caller.js';

export interface AuthenticateUserOptions {
  /** `tokenVerifier({ audience: 'junction-api', kind: 'user', … })`. */
  readonly verify: VerifyToken;
  /** Is the session or the user revoked? Asked on every request. */
  readonly revoked: (ids: readonly string[]) => Promise<boolean>;
  /** Who owns this API key; undefined, or AppError `unauthenticated`, for one that is not good. */
  readonly apiKey: (key: string) => Promise<Caller | undefined>;
}

const API_KEY = /^jn_live_[\w-]{1,200}$/;
const BEARER = /^Bearer +([\w.~+/=-]+)$/i;

/**
 * Lets a user through who shows an access token or an API key in Authorization: Bearer (RFC 6750), and
 * nobody else. Fails closed: when a check cannot be made the answer is 503, never the resource.
 */
export const authenticateUser =
  (options: AuthenticateUserOptions): RequestHandler =>
  async (req, res, next) => {
    const { authorization } = req.headers;
    if (authorization === undefined) {
      throw new AppError('unauthenticated', 'unauthenticated', 'Sign in to use this resource.');
    }
    const credential = BEARER.exec(authorization)?.[1];
    if (credential === undefined) throw invalidToken();

    const caller = await (credential.startsWith('jn_live_')
      ? keyHolder(credential, options)
      : tokenHolder(credential, options));

    const ids = [caller.userId, ...(caller.sessionId === undefined ? [] : [caller.sessionId])];
    if (await failingClosed(options.revoked(ids))) throw invalidToken();
    setCaller(res, caller);
    next();
  };

async function tokenHolder(jwt: string, { verify }: AuthenticateUserOptions): Promise<Caller> {
  const { subject, sessionId, scopes } = await verify(jwt);
  if (sessionId === undefined) throw invalidToken();
  return { kind: 'user', userId: subject, via: 'jwt', sessionId, scopes };
}

async function keyHolder(key: string, { apiKey }: AuthenticateUserOptions): Promise<Caller> {
  if (!API_KEY.test(key)) throw invalidToken();
  const caller = await failingClosed(apiKey(key)).catch((error: AppError) => {
    throw error.kind === 'unauthenticated' ? invalidToken(error) : error;
  });
  if (caller === undefined) throw invalidToken();
  return caller;
}

/** A check that breaks is an outage of ours. AppErrors already say what they are. */
async function failingClosed<T>(check: Promise<T>): Promise<T> {
  try {
    return await check;
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError(
      'unavailable',
      'authentication_unavailable',
      'Callers cannot be checked just now. Try again in a moment.',
      { cause, retryAfterS: 5 },
    );
  }
}
