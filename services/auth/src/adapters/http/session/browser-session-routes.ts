import { AppError, type ProblemCode } from '@junction/errors';
import { ACCESS_COOKIE, cookieOf, cookieValues, type VerifyToken } from '@junction/service/callers';
import { mount } from '@junction/service/http';
import { type Request, type Response, Router } from 'express';
import { z } from 'zod';
import type { Application } from '../../../application/application.js';
import type { Tokens } from '../../../application/session-tokens.js';
import * as answers from '../answers.js';
import { type BrowserCookies, REFRESH_COOKIE, SESSION_PATH } from '../browser-cookies.js';
import { email, knownPassword } from '../credentials-schema.js';
import { deviceOf } from '../device.js';
import {
  assertionOf,
  isPending,
  LOGIN_PROBLEMS,
  PASSKEY_PROBLEMS,
  passkeyAssertion,
  SECOND_STEP_PROBLEMS,
  secondStep,
  sendSecondFactorRequired,
} from '../factor-schema.js';
import type { KnownBrowser } from '../known-browser.js';
import { visitorOf } from '../visitor.js';

/** More cookies of one name than an honest browser ever holds. Each costs a look into the store. */
const COOKIES_MAX = 4;

const login = z.strictObject({ email, password: knownPassword });
const nothing = z.strictObject({});

/** The problems of `sameOriginOnly`. */
const ORIGIN_PROBLEMS: readonly ProblemCode[] = ['csrf_check_failed'];

export interface BrowserSessionOptions {
  readonly app: Application;
  readonly verify: VerifyToken;
  readonly cookies: BrowserCookies;
  readonly browser: KnownBrowser;
}

/**
 * A session whose tokens no script ever holds: they come and go in HttpOnly cookies, and no answer has
 * one in its body. Needs no caller, but stands behind `sameOriginOnly`, signing in included: another
 * site could otherwise sign a browser in as somebody else.
 */
export function browserSessionRoutes(options: BrowserSessionOptions): Router {
  const router = Router();
  addSignIn(router, options);
  addSecondSteps(router, options);
  addRefresh(router, options);

  const { app, verify, cookies } = options;
  mount(
    router,
    {
      id: 'endBrowserSession',
      method: 'delete',
      path: SESSION_PATH,
      summary: 'Sign a browser out',
      about: 'The session ends, and its cookies are deleted.',
      body: nothing,
      status: 204,
      problems: ORIGIN_PROBLEMS,
    },
    async ({ req, res, body }) => {
      body();
      const accessTokens = cookieValues(req, ACCESS_COOKIE).slice(0, COOKIES_MAX);
      const refreshTokens = cookieValues(req, REFRESH_COOKIE).slice(0, COOKIES_MAX);
      const sessionIds = await Promise.all(accessTokens.map((jwt) => sessionIdOf(jwt, verify)));
      await app.endSessions({
        sessionIds: sessionIds.filter((id) => id !== undefined),
        refreshTokens,
      });
      cookies.clear(res);
    },
  );

  return router;
}

function addSignIn(router: Router, { app, ...browser }: BrowserSessionOptions): void {
  mount(
    router,
    {
      id: 'beginBrowserSession',
      method: 'post',
      path: SESSION_PATH,
      summary: 'Sign a browser in',
      about: 'The tokens go into cookies that no script can read.',
      body: login,
      example: { email: 'ada@example.com', password: 'a horse that staples batteries' },
      answer: answers.browserSession,
      problems: [...ORIGIN_PROBLEMS, ...LOGIN_PROBLEMS],
    },
    async ({ req, res, body }) => {
      const { email, password } = body();
      const device = deviceOf(req.get('user-agent'));
      const outcome = await app.login({ email, password, device, visitor: visitorOf(req, res) });
      if (isPending(outcome)) {
        sendSecondFactorRequired(req, res, outcome);
        return undefined;
      }
      const { userId: user_id, expiresInS: expires_in } = outcome;
      await keep(browser, { req, res }, outcome);
      return { user_id, email, expires_in };
    },
  );
}

function addSecondSteps(router: Router, { app, ...browser }: BrowserSessionOptions): void {
  mount(
    router,
    {
      id: 'finishBrowserSession',
      method: 'post',
      path: `${SESSION_PATH}/second-factor`,
      summary: 'Show the second factor of a browser that is signing in',
      about: 'As for a login, with the tokens in cookies.',
      body: secondStep,
      example: { mfa_token: 'mt_0198c0de01237abc', totp_code: '123456' },
      answer: answers.browserSession,
      problems: [...ORIGIN_PROBLEMS, ...SECOND_STEP_PROBLEMS],
    },
    async ({ req, res, body }) => {
      const step = body();
      const device = deviceOf(req.get('user-agent'));
      const tokens = await app.finishSignIn({ ...step, device, visitor: visitorOf(req, res) });
      await keep(browser, { req, res }, tokens);
      return { user_id: tokens.userId, expires_in: tokens.expiresInS };
    },
  );

  mount(
    router,
    {
      id: 'beginBrowserSessionByPasskey',
      method: 'post',
      path: `${SESSION_PATH}/passkey`,
      summary: 'Sign a browser in by a passkey',
      about: 'As for a login by a passkey, with the tokens in cookies.',
      body: passkeyAssertion,
      answer: answers.browserSession,
      problems: [...ORIGIN_PROBLEMS, ...PASSKEY_PROBLEMS],
    },
    async ({ req, res, body }) => {
      const assertion = assertionOf(body());
      const device = deviceOf(req.get('user-agent'));
      const tokens = await app.signInByPasskey({ assertion, device, visitor: visitorOf(req, res) });
      await keep(browser, { req, res }, tokens);
      return { user_id: tokens.userId, expires_in: tokens.expiresInS };
    },
  );
}

function addRefresh(router: Router, { app, ...browser }: BrowserSessionOptions): void {
  mount(
    router,
    {
      id: 'refreshBrowserSession',
      method: 'post',
      path: `${SESSION_PATH}/refresh`,
      summary: 'Renew the cookies of a browser',
      body: nothing,
      about:
        'With `issuer_sign_in_needed` the cookies stay as they are: lead the browser to `/api/auth/session/issuer`.',
      answer: answers.refreshedSession,
      problems: [
        ...ORIGIN_PROBLEMS,
        'ambiguous_cookie',
        'invalid_refresh_token',
        'issuer_sign_in_needed',
      ],
    },
    async ({ req, res, body }) => {
      body();
      // Without the cookie this is a token like any other that is not known.
      const token = cookieOf(req, REFRESH_COOKIE) ?? '';
      const tokens = await app.refresh(token).catch((error: unknown) => {
        if (isRefused(error) && !goesOn(error)) browser.cookies.clear(res);
        throw error;
      });
      await keep(browser, { req, res }, tokens);
      return { expires_in: tokens.expiresInS };
    },
  );
}

/** Puts the tokens of a session into its browser, which goes on being known when the session has ended. */
async function keep(
  { cookies, browser }: Pick<BrowserSessionOptions, 'cookies' | 'browser'>,
  { req, res }: { readonly req: Request; readonly res: Response },
  tokens: Tokens,
): Promise<void> {
  cookies.set(res, tokens);
  await browser.remember(req, res, tokens.userId);
}

const isRefused = (error: unknown): boolean =>
  error instanceof AppError && error.kind === 'unauthenticated';

/** Once the issuer has been asked again. */
const goesOn = (error: unknown): boolean => AppError.from(error).code === 'issuer_sign_in_needed';

/** The session of a good token. One that expired or never was good ends nothing. */
async function sessionIdOf(jwt: string, verify: VerifyToken): Promise<string | undefined> {
  try {
    return (await verify(jwt)).sessionId;
  } catch (error) {
    if (isRefused(error)) return undefined;
    throw error;
  }
}
