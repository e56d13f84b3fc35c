import { type Reading, readList } from '@junction/service';
import { callerOf, mount } from '@junction/service/http';
import { Router } from 'express';
import { z } from 'zod';
import type { Application } from '../../../application/application.js';
import { ownSessions } from '../../postgres/session/session-reads.js';
import * as answers from '../answers.js';
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
import { sessionOf, userOf } from '../session-of.js';
import { tokensView } from '../views.js';
import { visitorOf } from '../visitor.js';

const refreshToken = z.string().min(1).max(200);

const login = z.strictObject({ email, password: knownPassword });
const refresh = z.strictObject({ refresh_token: refreshToken });
const challenge = z.strictObject({ mfa_token: z.string().min(1).max(200).optional() });
const endAll = z.strictObject({ include_current: z.enum(['true', 'false']).optional() });
const logout = z.strictObject({ refresh_token: refreshToken.optional() });

/** Open to everybody: what is shown here is the proof itself. */
export function loginRoutes(app: Application): Router {
  const router = Router();
  addLogin(router, app);
  addPasskeyLogin(router, app);

  mount(
    router,
    {
      id: 'refresh',
      method: 'post',
      path: '/api/auth/refresh',
      summary: 'Change a refresh token for new tokens',
      about: 'Each refresh token works once. One that is shown a second time ends its session.',
      body: refresh,
      example: { refresh_token: 'rt_0198c0de01237abc' },
      answer: answers.tokens,
      problems: ['invalid_refresh_token', 'issuer_sign_in_needed'],
    },
    async ({ body }) => tokensView(await app.refresh(body().refresh_token)),
  );

  return router;
}

function addLogin(router: Router, app: Application): void {
  mount(
    router,
    {
      id: 'login',
      method: 'post',
      path: '/api/auth/login',
      summary: 'Sign in with e-mail and password',
      about:
        'The problem `second_factor_required`, of an account that has a second factor, brings `mfa_token`, `methods` and `expires_in` for the next step.',
      body: login,
      example: { email: 'ada@example.com', password: 'a horse that staples batteries' },
      answer: answers.tokens,
      problems: LOGIN_PROBLEMS,
    },
    async ({ req, res, body }) => {
      const { email, password } = body();
      const device = deviceOf(req.get('user-agent'));
      const outcome = await app.login({ email, password, device, visitor: visitorOf(req, res) });
      if (!isPending(outcome)) return tokensView(outcome);
      sendSecondFactorRequired(req, res, outcome);
      return undefined;
    },
  );

  mount(
    router,
    {
      id: 'finishLogin',
      method: 'post',
      path: '/api/auth/login/second-factor',
      summary: 'Show the second factor of a login',
      about:
        'Takes the `mfa_token` of the login with a code of an authenticator, a recovery code or the answer of a passkey.',
      body: secondStep,
      example: { mfa_token: 'mt_0198c0de01237abc', totp_code: '123456' },
      answer: answers.tokens,
      problems: SECOND_STEP_PROBLEMS,
    },
    async ({ req, res, body }) => {
      const step = body();
      const device = deviceOf(req.get('user-agent'));
      const visitor = visitorOf(req, res);
      return tokensView(await app.finishSignIn({ ...step, device, visitor }));
    },
  );
}

function addPasskeyLogin(router: Router, app: Application): void {
  mount(
    router,
    {
      id: 'loginByPasskey',
      method: 'post',
      path: '/api/auth/login/passkey',
      summary: 'Sign in by a passkey',
      about: 'Takes the answer to a challenge of `authentication-options`; no password is needed.',
      body: passkeyAssertion,
      answer: answers.tokens,
      problems: PASSKEY_PROBLEMS,
    },
    async ({ req, res, body }) => {
      const assertion = assertionOf(body());
      const device = deviceOf(req.get('user-agent'));
      const visitor = visitorOf(req, res);
      return tokensView(await app.signInByPasskey({ assertion, device, visitor }));
    },
  );

  mount(
    router,
    {
      id: 'getPasskeyChallenge',
      method: 'post',
      path: '/api/auth/passkeys/authentication-options',
      summary: 'Get what a passkey has to sign',
      about:
        'The challenge counts once and for five minutes. With an `mfa_token` it is for the passkeys of that account.',
      body: challenge,
      answer: answers.challenge,
      problems: ['too_many_attempts', 'too_busy'],
    },
    async ({ req, res, body }) => {
      const { mfa_token: mfaToken } = body();
      const visitor = visitorOf(req, res);
      const asked = { mfaToken, visitor };
      const { challengeId, options } = await app.secondFactors.passkeyChallenge(asked);
      return { challenge_id: challengeId, options };
    },
  );
}

/** Sessions of the caller. */
export function sessionRoutes(app: Application, reading: Reading): Router {
  const router = Router();

  mount(
    router,
    {
      id: 'logout',
      method: 'post',
      path: '/api/auth/logout',
      summary: 'End the session of the access token',
      about: 'Access tokens of the session count no more, on any replica, from a second later on.',
      body: logout,
      example: {},
      status: 204,
      problems: ['session_required'],
    },
    async ({ res, body }) => {
      const caller = sessionOf(res);
      await app.logout(caller, body().refresh_token);
    },
  );

  readList(router, reading, {
    id: 'listSessions',
    path: '/api/auth/sessions',
    summary: 'List the sessions of the caller',
    about: 'A user has at most a hundred: they are always one page.',
    problems: ['session_required'],
    read: ownSessions,
    asks: ({ res }) => ({
      values: { user_id: userOf(res), current: callerOf(res).sessionId ?? null },
    }),
  });

  addEnds(router, app);
  return router;
}

function addEnds(router: Router, app: Application): void {
  mount(
    router,
    {
      id: 'endSession',
      method: 'delete',
      path: '/api/auth/sessions/:id',
      summary: 'End a session',
      about: 'Nothing happens where the caller has no session of this id.',
      status: 204,
      problems: ['session_required'],
    },
    async ({ req, res }) => app.endOwnSession(sessionOf(res), req.params.id),
  );

  mount(
    router,
    {
      id: 'endSessions',
      method: 'delete',
      path: '/api/auth/sessions',
      summary: 'End all sessions but that of the caller',
      about: 'Browsers and programs that used those sessions have to sign in again.',
      query: endAll,
      status: 204,
      problems: ['session_required'],
    },
    async ({ res, query }) => {
      const caller = sessionOf(res);
      await app.endAllSessions(caller, query().include_current === 'true');
    },
  );
}
