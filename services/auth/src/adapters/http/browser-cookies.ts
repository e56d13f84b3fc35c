import { ACCESS_COOKIE } from '@junction/service/callers';
import type { CookieOptions, Response } from 'express';
import type { Tokens } from '../../application/session-tokens.js';

export const SESSION_PATH = '/api/auth/session';

/** Sent to the routes of the session and nowhere else, which is why it cannot have the prefix `__Host-`. */
export const REFRESH_COOKIE = '__Secure-jn_rt';

/**
 * Tells our pages that there may be a session, so that they need not ask whether there is one. Readable by scripts,
 * because it holds nothing; it comes and goes with the refresh token.
 */
const SIGNED_IN_COOKIE = '__Secure-jn_in';

/** Secure always: browsers take http://localhost for trustworthy, and set such cookies there too. */
const GUARDED: CookieOptions = { httpOnly: true, secure: true, sameSite: 'strict' };
const ACCESS: CookieOptions = { ...GUARDED, path: '/' };
const REFRESH: CookieOptions = { ...GUARDED, path: SESSION_PATH };
const SIGNED_IN: CookieOptions = { ...ACCESS, httpOnly: false };

const SECOND_MS = 1_000;

/** The cookies of a browser session. No script can read its tokens. */
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
      setAccess(res, tokens)
        .cookie(REFRESH_COOKIE, tokens.refreshToken, { ...REFRESH, maxAge: refreshTokenTtlMs })
        .cookie(SIGNED_IN_COOKIE, '1', { ...SIGNED_IN, maxAge: refreshTokenTtlMs }),
    clear: (res) =>
      res
        .clearCookie(ACCESS_COOKIE, ACCESS)
        .clearCookie(REFRESH_COOKIE, REFRESH)
        .clearCookie(SIGNED_IN_COOKIE, SIGNED_IN),
  };
}
