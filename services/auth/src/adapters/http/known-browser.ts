import { cookieValues } from '@junction/service/callers';
import type { CookieOptions, Request, Response } from 'express';
import { z } from 'zod';
import type { CookieSealing } from './issuer/pending-sign-in.js';

/** Sent to the routes of accounts and nowhere else, which is why it cannot have the prefix `__Host-`. */
const COOKIE = '__Secure-jn_kb';
const GUARDED: CookieOptions = {
  httpOnly: true,
  secure: true,
  sameSite: 'strict',
  path: '/api/auth',
};
/** Browsers keep no cookie for longer. */
const KEPT_MS = 400 * 24 * 3_600_000;
const USERS_MAX = 5;
/** More cookies of one name than an honest browser ever holds. */
const COOKIES_MAX = 4;

const users = z.array(z.uuid()).max(USERS_MAX);

/** Remembers in a browser, sealed, whom it was signed in as: it may ask for their links whatever others have asked. */
export interface KnownBrowser {
  remember(req: Request, res: Response, userId: string): Promise<void>;
  /** The users who were signed in, the last one first; none for a cookie that is absent or not ours. */
  users(req: Request): Promise<readonly string[]>;
}

export function knownBrowser(sealing: CookieSealing): KnownBrowser {
  const read = async (value: string): Promise<readonly string[]> => {
    try {
      const opened = await sealing.open(Buffer.from(value, 'base64url'), COOKIE);
      return users.parse(JSON.parse(opened.toString()));
    } catch {
      return [];
    }
  };
  const usersOf = async (req: Request): Promise<readonly string[]> => {
    const values = cookieValues(req, COOKIE).slice(0, COOKIES_MAX);
    return (await Promise.all(values.map(read))).flat();
  };
  return {
    users: usersOf,

    async remember(req, res, userId) {
      const known = [...new Set([userId, ...(await usersOf(req))])].slice(0, USERS_MAX);
      const sealed = await sealing.seal(Buffer.from(JSON.stringify(known)), COOKIE);
      res.cookie(COOKIE, sealed.toString('base64url'), { ...GUARDED, maxAge: KEPT_MS });
    },
  };
}
