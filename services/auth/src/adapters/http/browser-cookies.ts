import { ACCESS_COOKIE } from '@junction/service/callers';
import type { CookieOptions, Response } from 'express';
import type { Tokens } from '../../application/session-tokens.js';

export const SESSION_PATH = '/api/auth/session';

/** Sent to the routes of the session and nowhere else, which is why it cannot have the prefix `__Host-`. */
export const REFRESH_COOKIE = '__Secure-jn_rt';

/** Secure always: browsers take http://localhost for trustworthy, and set such cookies there too. */
const GUARDED: CookieOptions = { httpOnly: true, secure: true, sameSite: 'strict' };
const ACCESS: CookieOptions = { ...GUARDED, path: '/' };
const REFRESH: CookieOptions = { ...GUARDED, path: SESSION_PATH };

const SECOND_MS = 1_000;

/** The cookies of a browser session, which no script can read. */
export interface BrowserCookies {
  set(res: Response, tokens: Tokens): Response;
  setAccess(res: Response, token: Pick<Tokens, 'accessToken' | 'expiresInS'>): Response;
  clear(res: Response): Response;
}

export function browserCookies(refreshTokenTtlMs: number): BrowserCookies {
  const setAccess: BrowserCookies['setAccess'] = (res, { accessToken, expiresInS }) =>
    res.cookie(ACCESS_COOKIE, accessToken, { ...ACCESS, maxAge: expiresInS * SECOND_MS });
  return {
    setAccess,
    set: (res, tokens) =>
      setAccess(res, tokens).cookie(REFRESH_COOKIE, tokens.refreshToken, {
        ...REFRESH,
        maxAge: refreshTokenTtlMs,
      }),
    clear: (res) => res.clearCookie(ACCESS_COOKIE, ACCESS).clearCookie(REFRESH_COOKIE, REFRESH),
  };
}
