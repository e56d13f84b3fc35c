import { AppError } from '@junction/errors';
import { cookieOf } from '@junction/service-kit/callers';
import { mount } from '@junction/service-kit/http';
import { type CookieOptions, type Response, Router } from 'express';
import { z } from 'zod';
import type { Application } from '../../application/application.js';
import * as answers from './answers.js';
import type { BrowserCookies } from './browser-cookies.js';
import { deviceOf } from './device.js';

/** Lax, because the browser comes back from another site. */
const COOKIE = '__Host-jn_si';
const GUARDED: CookieOptions = { httpOnly: true, secure: true, sameSite: 'lax', path: '/' };
const PENDING_MS = 10 * 60_000;
const SECOND_MS = 1_000;

/** Seals what a browser keeps for us. `open` throws for what was not sealed for the same place. */
export interface CookieSealing {
  seal(plaintext: Buffer, aad: string): Buffer | Promise<Buffer>;
  open(sealed: Buffer, aad: string): Buffer | Promise<Buffer>;
}

export interface IssuerSignInOptions {
  readonly app: Application;
  readonly cookies: BrowserCookies;
  readonly sealing: CookieSealing;
  readonly publicUrl: string;
}

const pendingSchema = z.object({
  issuerId: z.string(),
  state: z.string(),
  nonce: z.string(),
  codeVerifier: z.string(),
  untilMs: z.number(),
});
type Pending = z.infer<typeof pendingSchema>;

/**
 * Signing in at a trusted issuer. State, nonce and verifier lie sealed in a cookie, so a code that another
 * browser has asked for signs nobody in here (RFC 9700, section 4.7).
 */
export function issuerSignInRoutes(options: IssuerSignInOptions): Router {
  const { app } = options;
  const pending = pendingCookie(options);
  const router = Router();

  mount(
    router,
    {
      id: 'listSignInIssuers',
      method: 'get',
      path: '/api/auth/sign-in-issuers',
      summary: 'List the issuers that a browser can sign in at',
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
      status: 302,
      problems: ['issuer_not_found', 'issuer_unavailable'],
    },
    async ({ req, res }) => {
      const { url, pending: begun } = await app.issuers.begin(req.params.id);
      const untilMs = Date.now() + PENDING_MS;
      await pending.set(res, { ...begun, issuerId: req.params.id, untilMs });
      res.redirect(url.href);
    },
  );

  addCallback(router, options, pending);
  return router;
}

function addCallback(
  router: Router,
  { app, cookies, publicUrl }: IssuerSignInOptions,
  pending: ReturnType<typeof pendingCookie>,
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
      const found = await pending.read(cookieOf(req, COOKIE));
      res.clearCookie(COOKIE, GUARDED);
      try {
        if (found?.issuerId !== req.params.id) throw noPending();
        const url = new URL(req.originalUrl, publicUrl);
        const tokens = await app.issuers.finish({
          issuerId: found.issuerId,
          url,
          pending: found,
          device: deviceOf(req.headers['user-agent']),
        });
        cookies.set(res, tokens).redirect(303, '/');
      } catch (error) {
        const { kind, code } = AppError.from(error);
        if (kind === 'internal') throw error;
        // A person stands before this answer, so the page that signs in says what went wrong.
        res.redirect(303, `/sign-in?problem=${encodeURIComponent(code)}`);
      }
    },
  );
}

function pendingCookie({ sealing }: IssuerSignInOptions) {
  return {
    set: async (res: Response, pending: Pending) => {
      const sealed = await sealing.seal(Buffer.from(JSON.stringify(pending)), COOKIE);
      const maxAge = PENDING_MS - SECOND_MS;
      res.cookie(COOKIE, sealed.toString('base64url'), { ...GUARDED, maxAge });
    },

    /** Undefined for one that is absent, too old or not ours. */
    read: async (value: string | undefined): Promise<Pending | undefined> => {
      if (value === undefined) return undefined;
      try {
        const text = await sealing.open(Buffer.from(value, 'base64url'), COOKIE);
        const found = pendingSchema.parse(JSON.parse(text.toString()));
        return found.untilMs > Date.now() ? found : undefined;
      } catch {
        return undefined;
      }
    },
  };
}

const noPending = (): AppError =>
  new AppError('sign_in_failed', 'Begin again: this browser has not asked to sign in.');
