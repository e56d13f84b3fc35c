import { keyIdOf } from '@junction/contracts';
import { AppError } from '@junction/errors';
import type { Request, RequestHandler, Response } from 'express';
import { type Caller, findCaller, pathOf, revocableIds, setCaller } from '../http/caller.js';
import { demandScope } from './api-key-scopes.js';
import {
  ACCESS_COOKIE,
  type CsrfCheck,
  cookieOf,
  cookieValues,
  csrfCheck,
} from './browser-session.js';
import { unverifiedClaims } from './claims.js';
import { rememberTokens } from './remembered-tokens.js';
import { invalidToken, type VerifyToken } from './token-verifier.js';

export interface AuthenticateUserOptions {
  /** `tokenVerifier({ audience: 'junction-api', kind: 'user', … })`. */
  readonly verify: VerifyToken;
  /** `tokenVerifier({ audience: PORTAL_AUDIENCE, kind: 'portal', … })`. */
  readonly verifyPortal: VerifyToken;
  /**
   * Gives the user of another issuer's token an account if there is none yet. AppError `account_deleted` when that
   * account was deleted, `user_of_another_origin` when it is not the issuer's.
   */
  readonly ensureUser: (accessToken: string) => Promise<unknown>;
  /** Tells whether an id of the caller is revoked. Called for every request. */
  readonly revoked: (ids: readonly string[]) => Promise<boolean>;
  /** Returns the owner of an API key. A key that is not good gives undefined or AppError `unauthenticated`. */
  readonly apiKey: (key: string) => Promise<Caller | undefined>;
  /** PUBLIC_URL: only pages of its origin may change something with a browser session's cookie. */
  readonly publicUrl: string;
}

/**
 * Audience of portals' tokens. A service that knows no portals refuses these tokens, and no portal's token is ever
 * taken for a session's.
 */
export const PORTAL_AUDIENCE = 'junction-portal';

const BEARER = /^Bearer +([\w.~+/=-]+)$/i;

/**
 * Lets a user through who shows an access token, a portal's token or an API key in Authorization: Bearer (RFC 6750), or
 * without that header an access token in the cookie of a browser session. Refuses everybody else. Fails closed: when a
 * check cannot be made the answer is 503, never the resource.
 */
export function authenticateUser(options: AuthenticateUserOptions): RequestHandler {
  const checkCsrf = csrfCheck(options.publicUrl);
  const holderOf = tokenHolder(options);
  const callerWith = async ({ kind, value }: Credential): Promise<Caller> => {
    if (kind === 'api_key') return keyHolder(value, options);
    return kind === 'portal' ? portalUser(value, options) : holderOf(value);
  };
  return async (req, res, next) => {
    const credential = bearerOf(req) ?? sessionCookieOf(req, checkCsrf);
    const caller = await callerWith(credential);
    await refuseRevoked(caller, options);
    setCaller(res, caller);
    letInAt.set(res, performance.now());
    if (caller.via !== 'jwt') demandScope(caller, req.method, pathOf(req));
    next();
  };
}

/** Milliseconds that a body may take before its caller is looked at again. */
const SLOW_BODY_MS = 500;

/** When a caller was let in. */
const letInAt = new WeakMap<Response, number>();

/**
 * Refuses a caller who was revoked while the body came: by one that comes slowly a request could be held open until
 * long after its session has ended. Stands behind `authenticateUser` and what reads the body.
 */
export const refuseIfEnded =
  (options: Pick<AuthenticateUserOptions, 'revoked'>): RequestHandler =>
  async (_req, res, next) => {
    const since = letInAt.get(res);
    const caller = findCaller(res);
    const isSlow = since !== undefined && performance.now() - since >= SLOW_BODY_MS;
    if (caller && isSlow) await refuseRevoked(caller, options);
    next();
  };

async function refuseRevoked(
  caller: Caller,
  { revoked }: Pick<AuthenticateUserOptions, 'revoked'>,
): Promise<void> {
  if (!(await failingClosed(revoked(revocableIds(caller))))) return;
  throw caller.issuerId === undefined ? invalidToken() : accountDeleted();
}

/**
 * Lets requests pass that show no credential; a shown credential has to be good. Routes get the caller from
 * `findCaller`.
 */
export const authenticateIfShown =
  (authenticate: RequestHandler): RequestHandler =>
  (req, res, next) => {
    const isShown =
      req.headers.authorization !== undefined || cookieValues(req, ACCESS_COOKIE).length > 0;
    return isShown ? authenticate(req, res, next) : next();
  };

interface Credential {
  readonly kind: 'jwt' | 'api_key' | 'portal';
  readonly value: string;
}

/**
 * Returns the credential of the Authorization header. Any such header decides alone, a useless one too: a client that
 * sends it means it.
 */
function bearerOf({ headers }: Request): Credential | undefined {
  if (headers.authorization === undefined) return undefined;
  const value = BEARER.exec(headers.authorization)?.[1];
  if (value === undefined) throw invalidToken();
  if (value.startsWith('jn_live_')) return { kind: 'api_key', value };
  return { kind: isForPortal(value) ? 'portal' : 'jwt', value };
}

/**
 * Tells whether a token is a portal's. The token is read before its signature is checked, which decides only how it is
 * checked.
 */
const isForPortal = (jwt: string): boolean => unverifiedClaims(jwt)?.aud === PORTAL_AUDIENCE;

/**
 * Reads the session cookie. Browsers send cookies whoever makes them send a request, so a cookie needs the check
 * against CSRF as well.
 */
function sessionCookieOf(req: Request, checkCsrf: CsrfCheck): Credential {
  const value = cookieOf(req, ACCESS_COOKIE);
  if (value === undefined) {
    throw new AppError('unauthenticated', 'Sign in to use this resource.');
  }
  checkCsrf(req);
  return { kind: 'jwt', value };
}

/**
 * Milliseconds for which an account counts as ensured: less than the 15 minutes for which a deletion is remembered as a
 * revocation.
 */
const ENSURED_MS = 10 * 60_000;

function tokenHolder({ verify, ensureUser }: AuthenticateUserOptions) {
  const ensure = rememberTokens(
    async (jwt) => {
      await ensureUser(jwt);
      return {};
    },
    { forMs: ENSURED_MS },
  );
  return async (jwt: string): Promise<Caller> => {
    const { subject: userId, sessionId, issuerId, ...claims } = await verify(jwt);
    const { isOperator, isUnverified, scopes, expiresAt, mfaAt, authenticatedAt } = claims;
    const user = { kind: 'user', via: 'jwt', userId, scopes, expiresAt } as const;
    if (issuerId !== undefined) {
      await failingClosed(ensure(jwt));
      return { ...user, issuerId, authenticatedAt };
    }
    if (sessionId === undefined) throw invalidToken();
    return { ...user, sessionId, isOperator, isUnverified, mfaAt, authenticatedAt };
  };
}

async function portalUser(jwt: string, { verifyPortal }: AuthenticateUserOptions): Promise<Caller> {
  const { subject: userId, portalId, scopes, expiresAt } = await verifyPortal(jwt);
  return { kind: 'user', via: 'portal', userId, portalId, scopes, expiresAt };
}

/**
 * Refuses the user of an account that was deleted here. The issuer may go on giving out tokens, but they open nothing
 * here, and no new account either.
 */
export const accountDeleted = (): AppError =>
  new AppError('account_deleted', 'This account was deleted here.');

async function keyHolder(key: string, { apiKey }: AuthenticateUserOptions): Promise<Caller> {
  // The checksum shows a mistyped key without a call to auth.
  if (keyIdOf(key) === undefined) throw invalidToken();
  const caller = await failingClosed(apiKey(key)).catch((error: AppError) => {
    throw error.kind === 'unauthenticated' ? invalidToken(error) : error;
  });
  if (caller === undefined) throw invalidToken();
  return caller;
}

/** Makes a check that breaks an outage of ours. An AppError already says what it is. */
async function failingClosed<T>(check: Promise<T>): Promise<T> {
  try {
    return await check;
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError(
      'authentication_unavailable',
      'Callers cannot be checked just now. Try again in a moment.',
      { cause, retryAfterS: 5 },
    );
  }
}
