import { AppError } from '@junction/errors';
import {
  ACCESS_COOKIE,
  cookieOf,
  cookieValues,
  type VerifyToken,
} from '@junction/service-kit/callers';
import { parse } from '@junction/service-kit/http';
import { type CookieOptions, type Response, Router } from 'express';
import { z } from 'zod';
import type { Application } from '../../application/application.js';
import type { Tokens } from '../../application/session/session-tokens.js';
import { email, knownPassword } from './credentials-schema.js';
import { deviceOf } from './device.js';
import { visitorOf } from './visitor.js';

/** Sent to the routes below and nowhere else, which is why it cannot have the prefix `__Host-`. */
const REFRESH_COOKIE = '__Secure-jn_rt';
const PATH = '/api/auth/session';

/** Secure always: browsers take http://localhost for trustworthy, and set such cookies there too. */
const GUARDED: CookieOptions = { httpOnly: true, secure: true, sameSite: 'strict' };
const ACCESS: CookieOptions = { ...GUARDED, path: '/' };
const REFRESH: CookieOptions = { ...GUARDED, path: PATH };

const SECOND_MS = 1_000;
/** More cookies of one name than an honest browser ever holds. Each costs a look into the store. */
const COOKIES_MAX = 4;

const login = z.strictObject({ email, password: knownPassword });
const nothing = z.strictObject({});

export interface BrowserSessionOptions {
  readonly app: Application;
  readonly verify: VerifyToken;
  readonly refreshTokenTtlMs: number;
}

/**
 * A session whose tokens no script ever holds: they come and go in HttpOnly cookies, and no answer has
 * one in its body. Needs no caller, but stands behind `sameOriginOnly`, signing in included: another
 * site could otherwise sign a browser in as somebody else.
 */
export function browserSessionRoutes(options: BrowserSessionOptions): Router {
  const { app, verify, refreshTokenTtlMs } = options;
  const router = Router();

  const setCookies = (res: Response, { accessToken, expiresInS, refreshToken }: Tokens) =>
    res
      .cookie(ACCESS_COOKIE, accessToken, { ...ACCESS, maxAge: expiresInS * SECOND_MS })
      .cookie(REFRESH_COOKIE, refreshToken, { ...REFRESH, maxAge: refreshTokenTtlMs });

  router.post(PATH, async (req, res) => {
    const { email, password } = parse(login, req.body);
    const device = deviceOf(req.get('user-agent'));
    const tokens = await app.login({ email, password, device, visitor: visitorOf(req, res) });
    setCookies(res, tokens).json({ user_id: tokens.userId, email, expires_in: tokens.expiresInS });
  });

  router.post(`${PATH}/refresh`, async (req, res) => {
    parse(nothing, req.body);
    // Without the cookie this is a token like any other that is not known.
    const token = cookieOf(req, REFRESH_COOKIE) ?? '';
    const tokens = await app.refresh(token).catch((error: unknown) => {
      if (isRefused(error)) clearCookies(res);
      throw error;
    });
    setCookies(res, tokens).json({ expires_in: tokens.expiresInS });
  });

  router.delete(PATH, async (req, res) => {
    parse(nothing, req.body);
    const accessTokens = cookieValues(req, ACCESS_COOKIE).slice(0, COOKIES_MAX);
    const refreshTokens = cookieValues(req, REFRESH_COOKIE).slice(0, COOKIES_MAX);
    const sessionIds = await Promise.all(accessTokens.map((jwt) => sessionIdOf(jwt, verify)));
    await app.endSessions({
      sessionIds: sessionIds.filter((id) => id !== undefined),
      refreshTokens,
    });
    clearCookies(res).status(204).end();
  });

  return router;
}

const clearCookies = (res: Response): Response =>
  res.clearCookie(ACCESS_COOKIE, ACCESS).clearCookie(REFRESH_COOKIE, REFRESH);

const isRefused = (error: unknown): boolean =>
  error instanceof AppError && error.kind === 'unauthenticated';

/** The session of a good token. One that expired or never was good ends nothing. */
async function sessionIdOf(jwt: string, verify: VerifyToken): Promise<string | undefined> {
  try {
    return (await verify(jwt)).sessionId;
  } catch (error) {
    if (isRefused(error)) return undefined;
    throw error;
  }
}
