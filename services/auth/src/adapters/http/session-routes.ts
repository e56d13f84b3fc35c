import { callerOf, parse } from '@junction/service-kit/http';
import { Router } from 'express';
import { z } from 'zod';
import type { Application } from '../../application/application.js';
import type { LiveSession } from '../../application/session/ports.js';
import type { Tokens } from '../../application/session/session-tokens.js';
import { email, knownPassword } from './credentials-schema.js';
import { deviceOf } from './device.js';
import {
  assertionOf,
  isPending,
  passkeyAssertion,
  secondStep,
  sendSecondFactorRequired,
} from './factor-schema.js';
import { sessionOf, userOf } from './session-of.js';
import { visitorOf } from './visitor.js';

const refreshToken = z.string().min(1).max(200);

const login = z.strictObject({ email, password: knownPassword });
const refresh = z.strictObject({ refresh_token: refreshToken });
const challenge = z.strictObject({ mfa_token: z.string().min(1).max(200).optional() });
const endAll = z.strictObject({ include_current: z.enum(['true', 'false']).optional() });
const logout = z.strictObject({ refresh_token: refreshToken.optional() });

/** Open to everybody: what is shown here is the proof itself. */
export function loginRoutes(app: Application): Router {
  const router = Router();

  router.post('/api/auth/login', async (req, res) => {
    const { email, password } = parse(login, req.body);
    const device = deviceOf(req.get('user-agent'));
    const outcome = await app.login({ email, password, device, visitor: visitorOf(req, res) });
    if (isPending(outcome)) sendSecondFactorRequired(req, res, outcome);
    else res.json(tokensView(outcome));
  });

  router.post('/api/auth/login/second-factor', async (req, res) => {
    const step = parse(secondStep, req.body);
    const device = deviceOf(req.get('user-agent'));
    const visitor = visitorOf(req, res);
    res.json(tokensView(await app.finishSignIn({ ...step, device, visitor })));
  });

  router.post('/api/auth/login/passkey', async (req, res) => {
    const assertion = assertionOf(parse(passkeyAssertion, req.body));
    const device = deviceOf(req.get('user-agent'));
    const visitor = visitorOf(req, res);
    res.json(tokensView(await app.signInByPasskey({ assertion, device, visitor })));
  });

  router.post('/api/auth/passkeys/authentication-options', async (req, res) => {
    const { mfa_token } = parse(challenge, req.body);
    const { challengeId, options } = await app.secondFactors.passkeyChallenge(mfa_token);
    res.json({ challenge_id: challengeId, options });
  });

  router.post('/api/auth/refresh', async (req, res) => {
    const { refresh_token } = parse(refresh, req.body);
    res.json(tokensView(await app.refresh(refresh_token)));
  });

  return router;
}

export function sessionRoutes(app: Application): Router {
  const router = Router();

  router.post('/api/auth/logout', async (req, res) => {
    const caller = sessionOf(res);
    const { refresh_token } = parse(logout, req.body);
    await app.logout(caller, refresh_token);
    res.status(204).end();
  });

  router.get('/api/auth/sessions', async (_req, res) => {
    const { sessionId: own } = callerOf(res);
    const sessions = await app.listSessions(userOf(res));
    // A user has at most a hundred.
    res.json({
      items: sessions.map((session) => ({
        ...sessionView(session),
        is_current: session.sessionId === own,
      })),
      next_cursor: null,
    });
  });

  router.delete('/api/auth/sessions/:id', async (req, res) => {
    await app.endOwnSession(sessionOf(res), req.params.id);
    res.status(204).end();
  });

  router.delete('/api/auth/sessions', async (req, res) => {
    const caller = sessionOf(res);
    const { include_current } = parse(endAll, req.query);
    await app.endAllSessions(caller, include_current === 'true');
    res.status(204).end();
  });

  return router;
}

export const sessionView = ({ sessionId, startedAt, lastUsedAt, device }: LiveSession) => ({
  id: sessionId,
  device: device ?? null,
  started_at: startedAt.toISOString(),
  last_used_at: lastUsedAt.toISOString(),
});

export const tokensView = ({ accessToken, expiresInS, refreshToken }: Tokens) => ({
  access_token: accessToken,
  token_type: 'Bearer',
  expires_in: expiresInS,
  refresh_token: refreshToken,
});
