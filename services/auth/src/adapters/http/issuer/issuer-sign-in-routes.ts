import { AppError } from '@junction/errors';
import { cookieOf } from '@junction/service/callers';
import { mount } from '@junction/service/http';
import { type Response, Router } from 'express';
import { z } from 'zod';
import type { Application } from '../../../application/application.js';
import * as answers from '../answers.js';
import { type BrowserCookies, REFRESH_COOKIE, SESSION_PATH } from '../browser-cookies.js';
import { deviceOf } from '../device.js';
import { type CookieSealing, type PendingSignIn, pendingSignIn } from './pending-sign-in.js';

const NEXT_CHARS_MAX = 2_000;

export interface IssuerSignInOptions {
  readonly app: Application;
  readonly cookies: BrowserCookies;
  readonly sealing: CookieSealing;
  readonly publicUrl: string;
}

/**
 * Signing in at a trusted issuer. State, nonce and verifier lie sealed in a cookie, so a code that another
 * browser has asked for signs nobody in here (RFC 9700, section 4.7).
 */
export function issuerSignInRoutes(options: IssuerSignInOptions): Router {
  const { app, sealing } = options;
  const pending = pendingSignIn(sealing);
  const router = Router();

  mount(
    router,
    {
      id: 'listSignInIssuers',
      method: 'get',
      path: '/api/auth/sign-in-issuers',
      summary: 'List the issuers that a browser can sign in at',
      about: 'The issuers of TRUSTED_ISSUERS_FILE that have a client for it, by `id` and name.',
      answer: answers.issuers,
    },
    () => ({
      items: app.issuers.list().map(({ id, displayName }) => ({ id, display_name: displayName })),
    }),
  );

  mount(
    router,
    {
      id: 'beginSignInAtIssuer',
      method: 'get',
      path: '/api/auth/sign-in/:id',
      summary: 'Send a browser to an issuer to sign in',
      about:
        "Redirects to the issuer's authorization endpoint, with PKCE and a `state` that the browser keeps in a cookie.",
      status: 302,
      problems: ['issuer_not_found', 'issuer_unavailable'],
    },
    async ({ req, res }) => {
      const { url, pending: begun } = await app.issuers.begin(req.params.id);
      await pending.set(res, { ...begun, issuerId: req.params.id });
      res.redirect(url.href);
    },
  );

  addAgain(router, options, pending);
  addCallback(router, options, pending);
  return router;
}

/** The cookie of the session is sent from our own pages alone, so no other site can have an issuer asked. */
function addAgain(router: Router, { app }: IssuerSignInOptions, pending: PendingSignIn): void {
  mount(
    router,
    {
      id: 'askIssuerAgain',
      method: 'get',
      path: `${SESSION_PATH}/issuer`,
      summary: 'Send a browser to the issuer of its session, which is asked again',
      about:
        'The issuer answers without asking the user anything (`prompt=none`). The browser comes back to the page that signs in, which leads to `next`, or shows the code of the problem.',
      query: z.object({ next: z.string().max(NEXT_CHARS_MAX).optional() }),
      status: 303,
    },
    async ({ req, res, query }) => {
      const { next = '/' } = query();
      await orToSignIn(res, next, async () => {
        const refreshToken = cookieOf(req, REFRESH_COOKIE) ?? '';
        const { url, pending: begun, ...asked } = await app.issuerAgain.begin(refreshToken);
        const { issuerId, sessionId } = asked;
        await pending.set(res, { ...begun, issuerId, again: { sessionId, next } });
        res.redirect(303, url.href);
      });
    },
  );
}

function addCallback(
  router: Router,
  { app, cookies, publicUrl }: IssuerSignInOptions,
  pending: PendingSignIn,
): void {
  mount(
    router,
    {
      id: 'finishSignInAtIssuer',
      method: 'get',
      path: '/api/auth/sign-in/:id/callback',
      summary: 'Take a browser back from an issuer',
      about: 'Redirects to the page that signs in, with the code of the problem, if there is one.',
      status: 303,
    },
    async ({ req, res }) => {
      const found = await pending.take(req, res, req.query['state']);
      await orToSignIn(res, found?.again?.next, async () => {
        if (found?.issuerId !== req.params.id) throw noPending();
        const { issuerId, again } = found;
        const url = new URL(req.originalUrl, publicUrl);
        const device = deviceOf(req.headers['user-agent']);
        const callback = { issuerId, url, pending: found, device };
        if (again === undefined) {
          const tokens = await app.issuers.finish(callback);
          cookies.set(res, tokens).redirect(303, '/');
          return;
        }
        await app.issuerAgain.finish(callback, again.sessionId).catch((error: unknown) => {
          if (AppError.from(error).code === 'issuer_session_ended') cookies.clear(res);
          throw error;
        });
        toSignIn(res, { next: again.next });
      });
    },
  );
}

/** A person stands before these answers, so the page that signs in says what went wrong. */
async function orToSignIn(
  res: Response,
  next: string | undefined,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    const { kind, code } = AppError.from(error);
    if (kind === 'internal') throw error;
    toSignIn(res, { problem: code, ...(next !== undefined && { next }) });
  }
}

/** The page leads on to `next` where there is a session, and there never to another site. */
const toSignIn = (res: Response, search: Readonly<Record<string, string>>): void =>
  res.redirect(303, `/sign-in?${new URLSearchParams(search).toString()}`);

const noPending = (): AppError =>
  new AppError('sign_in_failed', 'Begin again: this browser has not asked to sign in.');
