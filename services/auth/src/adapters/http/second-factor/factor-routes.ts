import { recentFactor, recentSignIn } from '@junction/service/callers';
import { mount } from '@junction/service/http';
import { type Request, type Response, Router } from 'express';
import { z } from 'zod';
import type { Application } from '../../../application/application.js';
import type { AddedFactor } from '../../../application/second-factor/add-factor.js';
import * as answers from '../answers.js';
import type { BrowserCookies } from '../browser-cookies.js';
import { keyName } from '../credentials-schema.js';
import { deviceOf } from '../device.js';
import { assertionOf, passkeyAssertion, stepUpProof } from '../factor-schema.js';
import { sessionOf, userOf } from '../session-of.js';
import { passkeyView, secondFactorsView, tokensView } from '../views.js';
import { visitorOf } from '../visitor.js';

const nothing = z.strictObject({});
const confirmation = z.strictObject({ code: z.string().min(1).max(20) });
const newPasskey = passkeyAssertion.extend({ name: keyName });

/** Second factors of the caller. What changes them wants a recent proof, where one exists already. */
export function factorRoutes(app: Application, cookies: BrowserCookies): Router {
  const router = Router();
  const { secondFactors } = app;

  mount(
    router,
    {
      id: 'getSecondFactors',
      method: 'get',
      path: '/api/auth/second-factors',
      summary: 'Get the second factors of the caller, without what proves them',
      about: 'Says which factors there are, and how many recovery codes are left.',
      answer: answers.secondFactors,
      problems: ['session_required'],
    },
    async ({ res, signal }) => secondFactorsView(await app.reading(signal).factorsOf(userOf(res))),
  );

  addTotp(router, app, cookies);
  addTotpRemoval(router, app);

  mount(
    router,
    {
      id: 'makeRecoveryCodes',
      method: 'post',
      path: '/api/auth/recovery-codes',
      summary: 'Make new recovery codes; the old ones end',
      about: 'The codes are shown this once.',
      through: [recentFactor],
      body: nothing,
      answer: answers.recoveryCodes,
      problems: ['session_required', 'no_second_factor'],
    },
    async ({ res, body }) => {
      body();
      const codes = await secondFactors.newRecoveryCodes(sessionOf(res));
      return { recovery_codes: codes };
    },
  );

  addStepUp(router, app, cookies);
  return router;
}

function addStepUp(router: Router, app: Application, cookies: BrowserCookies): void {
  mount(
    router,
    {
      id: 'stepUp',
      method: 'post',
      path: '/api/auth/step-up',
      summary: 'Show the second factor again (RFC 9470), or the password where there is none',
      about:
        'The access token then does what wants a recent proof: for fifteen minutes after a factor, for ten after the password.',
      body: stepUpProof,
      example: { totp_code: '123456' },
      answer: answers.provenToken,
      problems: [
        'session_required',
        'invalid_second_factor',
        'invalid_password',
        'account_elsewhere',
        'too_many_attempts',
        'too_busy',
      ],
    },
    async ({ req, res, body }) => {
      const caller = sessionOf(res);
      const shown = await app.stepUp(caller, { proof: body(), visitor: visitorOf(req, res) });
      const { accessToken: access_token, expiresInS: expires_in } = shown;
      if (!isByCookie(req)) return { access_token, token_type: 'Bearer' as const, expires_in };
      cookies.setAccess(res, shown);
      return { expires_in };
    },
  );
}

function addTotp(router: Router, { secondFactors }: Application, cookies: BrowserCookies): void {
  mount(
    router,
    {
      id: 'offerTotp',
      method: 'post',
      path: '/api/auth/totp',
      summary: 'Begin to set an authenticator up (RFC 6238)',
      about:
        'The answer has the secret for the authenticator, as text and as a URI for a QR code. Nothing changes before it is confirmed.',
      through: [recentSignIn],
      body: nothing,
      answer: answers.totp,
      problems: ['session_required', 'totp_exists'],
    },
    async ({ res, body }) => {
      body();
      const { secret, uri } = await secondFactors.offerTotp(sessionOf(res).userId);
      return { secret, otpauth_uri: uri };
    },
  );

  mount(
    router,
    {
      id: 'confirmTotp',
      method: 'post',
      path: '/api/auth/totp/confirm',
      summary: 'Confirm the authenticator with a code it shows',
      about:
        'The first factor of an account ends its other sessions, and comes with recovery codes, which are shown this once.',
      through: [recentSignIn],
      body: confirmation,
      example: { code: '123456' },
      answer: answers.addedFactor,
      problems: ['session_required', 'invalid_code', 'totp_exists'],
    },
    async ({ req, res, body }) => {
      const caller = sessionOf(res);
      const { code } = body();
      const device = deviceOf(req.get('user-agent'));
      const added = await secondFactors.confirmTotp(caller, code, device);
      return answerOf({ req, res, cookies }, added);
    },
  );
}

function addTotpRemoval(router: Router, { secondFactors }: Application): void {
  mount(
    router,
    {
      id: 'removeTotp',
      method: 'delete',
      path: '/api/auth/totp',
      summary: 'Remove the authenticator',
      about: 'Recovery codes end with the last factor.',
      through: [recentFactor],
      status: 204,
      problems: ['session_required'],
    },
    async ({ res }) => secondFactors.removeTotp(sessionOf(res)),
  );
}

/** Passkeys of the caller. */
export function passkeyRoutes({ secondFactors }: Application, cookies: BrowserCookies): Router {
  const router = Router();

  mount(
    router,
    {
      id: 'offerPasskey',
      method: 'post',
      path: '/api/auth/passkeys/registration-options',
      summary: 'Get what a new passkey has to sign',
      about: 'The challenge counts once and for five minutes, for the user who asked for it.',
      through: [recentSignIn],
      body: nothing,
      answer: answers.challenge,
      problems: ['session_required'],
    },
    async ({ res, body }) => {
      body();
      const { challengeId, options } = await secondFactors.offerPasskey(sessionOf(res).userId);
      return { challenge_id: challengeId, options };
    },
  );

  addPasskey(router, secondFactors, cookies);
  return router;
}

function addPasskey(
  router: Router,
  secondFactors: Application['secondFactors'],
  cookies: BrowserCookies,
): void {
  mount(
    router,
    {
      id: 'addPasskey',
      method: 'post',
      path: '/api/auth/passkeys',
      summary: 'Add a passkey',
      about:
        'The first factor of an account ends its other sessions, and comes with recovery codes, which are shown this once.',
      through: [recentSignIn],
      body: newPasskey,
      answer: answers.addedPasskey,
      status: 201,
      problems: ['session_required', 'invalid_passkey'],
    },
    async ({ req, res, body }) => {
      const caller = sessionOf(res);
      const { name, ...passkey } = body();
      const device = deviceOf(req.get('user-agent'));
      const added = await secondFactors.addPasskey(
        { ...caller, name, device },
        assertionOf(passkey),
      );
      return { passkey: passkeyView(added), ...answerOf({ req, res, cookies }, added) };
    },
  );

  mount(
    router,
    {
      id: 'removePasskey',
      method: 'delete',
      path: '/api/auth/passkeys/:id',
      summary: 'Remove a passkey',
      about: 'Recovery codes end with the last factor.',
      through: [recentFactor],
      status: 204,
      problems: ['session_required', 'passkey_not_found'],
    },
    async ({ req, res }) => secondFactors.removePasskey(sessionOf(res), req.params.id),
  );
}

interface Exchange {
  readonly req: Request;
  readonly res: Response;
  readonly cookies: BrowserCookies;
}

/** Tokens go where those of the request came from: into cookies, or into the answer. */
function answerOf({ req, res, cookies }: Exchange, { recoveryCodes, tokens }: AddedFactor) {
  if (tokens !== undefined && isByCookie(req)) cookies.set(res, tokens);
  return {
    ...(recoveryCodes !== undefined && { recovery_codes: recoveryCodes }),
    ...(tokens !== undefined && !isByCookie(req) && { tokens: tokensView(tokens) }),
  };
}

const isByCookie = (req: Request): boolean => req.headers.authorization === undefined;
