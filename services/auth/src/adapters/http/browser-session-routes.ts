import { AppError } from '@junction/errors';
import {
  ACCESS_COOKIE,
  cookieOf,
  cookieValues,
  type VerifyToken,
} from '@junction/service-kit/callers';
import { parse } from '@junction/service-kit/http';
import { Router } from 'express';
import { z } from 'zod';
import type { Application } from '../../application/application.js';
import { type BrowserCookies, REFRESH_COOKIE, SESSION_PATH } from './browser-cookies.js';
import { email, knownPassword } from './credentials-schema.js';
import { deviceOf } from './device.js';
import {
  assertionOf,
  isPending,
  passkeyAssertion,
  secondStep,
  sendSecondFactorRequired,
} from './factor-schema.js';
import { visitorOf } from './visitor.js';

/** More cookies of one name than an honest browser ever holds. Each costs a look into the store. */
const COOKIES_MAX = 4;

const login = z.strictObject({ email, password: knownPassword });
const nothing = z.strictObject({});

export interface BrowserSessionOptions {
  readonly app: Application;
  readonly verify: VerifyToken;
  readonly cookies: BrowserCookies;
}

/**
 * A session whose tokens no script ever holds: they come and go in HttpOnly cookies, and no answer has
 * one in its body. Needs no caller, but stands behind `sameOriginOnly`, signing in included: another
 * site could otherwise sign a browser in as somebody else.
 */
export function browserSessionRoutes(options: BrowserSessionOptions): Router {
  const { app, verify, cookies } = options;
  const router = Router();

  router.post(SESSION_PATH, async (req, res) => {
    const { email, password } = parse(login, req.body);
    const device = deviceOf(req.get('user-agent'));
    const outcome = await app.login({ email, password, device, visitor: visitorOf(req, res) });
    if (isPending(outcome)) return sendSecondFactorRequired(req, res, outcome);
    const { userId: user_id, expiresInS: expires_in } = outcome;
    cookies.set(res, outcome).json({ user_id, email, expires_in });
  });

  router.post(`${SESSION_PATH}/second-factor`, async (req, res) => {
    const step = parse(secondStep, req.body);
    const device = deviceOf(req.get('user-agent'));
    const tokens = await app.finishSignIn({ ...step, device, visitor: visitorOf(req, res) });
    cookies.set(res, tokens).json({ user_id: tokens.userId, expires_in: tokens.expiresInS });
  });

  router.post(`${SESSION_PATH}/passkey`, async (req, res) => {
    const assertion = assertionOf(parse(passkeyAssertion, req.body));
    const device = deviceOf(req.get('user-agent'));
    const tokens = await app.signInByPasskey({ assertion, device, visitor: visitorOf(req, res) });
    cookies.set(res, tokens).json({ user_id: tokens.userId, expires_in: tokens.expiresInS });
  });

  router.post(`${SESSION_PATH}/refresh`, async (req, res) => {
    parse(nothing, req.body);
    // Without the cookie this is a token like any other that is not known.
    const token = cookieOf(req, REFRESH_COOKIE) ?? '';
    const tokens = await app.refresh(token).catch((error: unknown) => {
      if (isRefused(error)) cookies.clear(res);
      throw error;
    });
    cookies.set(res, tokens).json({ expires_in: tokens.expiresInS });
  });

  router.delete(SESSION_PATH, async (req, res) => {
    parse(nothing, req.body);
    const accessTokens = cookieValues(req, ACCESS_COOKIE).slice(0, COOKIES_MAX);
    const refreshTokens = cookieValues(req, REFRESH_COOKIE).slice(0, COOKIES_MAX);
    const sessionIds = await Promise.all(accessTokens.map((jwt) => sessionIdOf(jwt, verify)));
    await app.endSessions({
      sessionIds: sessionIds.filter((id) => id !== undefined),
      refreshTokens,
    });
    cookies.clear(res).status(204).end();
  });

  return router;
}

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
