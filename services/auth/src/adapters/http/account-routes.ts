import { recentFactor } from '@junction/service-kit/callers';
import { callerOf, parse } from '@junction/service-kit/http';
import { Router } from 'express';
import { z } from 'zod';
import type { User } from '../../application/account/ports.js';
import type { Application } from '../../application/application.js';
import { apiKeyView } from './api-key-routes.js';
import { email, knownPassword, newPassword } from './credentials-schema.js';
import { secondFactorsView } from './factor-routes.js';
import { originOf } from './origin.js';
import { sessionOf, userOf } from './session-of.js';
import { sessionView } from './session-routes.js';
import { visitorOf } from './visitor.js';

const registration = z.strictObject({ email, password: newPassword });
const emailChange = z.strictObject({ password: knownPassword, new_email: email });
const passwordChange = z.strictObject({
  current_password: knownPassword,
  new_password: newPassword,
});
const nothing = z.strictObject({});

/** Open to everybody. */
export function registrationRoutes(app: Application): Router {
  const router = Router();

  router.post('/api/auth/register', async (req, res) => {
    const { email, password } = parse(registration, req.body);
    const user = await app.register({ email, password, visitor: visitorOf(req, res) });
    res
      .status(201)
      .location('/api/auth/me')
      .json({ user: { id: user.id, email: user.email } });
  });

  return router;
}

export function accountRoutes(app: Application): Router {
  const router = Router();

  router.get('/api/auth/me', async (_req, res) => {
    const { userId } = callerOf(res);
    const [user, factors] = await Promise.all([app.me(userId), app.secondFactors.list(userId)]);
    const { totpSince, passkeys } = factors;
    const second_factor = totpSince !== null || passkeys.length > 0;
    res.json({ user: { ...view(user), second_factor, passkeys: passkeys.length } });
  });

  router.get('/api/auth/export', async (_req, res) => {
    const exported = await app.exportAccount(userOf(res));
    const { user, sessions, apiKeys, secondFactors, history } = exported;
    res.attachment('junction-account.json').json({
      user: view(user),
      sessions: sessions.map(sessionView),
      api_keys: apiKeys.map(apiKeyView),
      second_factors: secondFactorsView(secondFactors),
      history: history.map(({ type, data }) => ({ type, ...data })),
    });
  });

  router.post('/api/auth/verify-email/resend', async (req, res) => {
    parse(nothing, req.body);
    await app.resendVerification(sessionOf(res).userId);
    res.status(202).json({});
  });

  router.post('/api/auth/change-email', recentFactor, async (req, res) => {
    const { password, new_email: newEmail } = parse(emailChange, req.body);
    const visitor = visitorOf(req, res);
    await app.changeEmail(sessionOf(res).userId, { password, newEmail, visitor });
    res.status(202).json({});
  });

  router.post('/api/auth/change-password', async (req, res) => {
    const { current_password, new_password: newPassword } = parse(passwordChange, req.body);
    const visitor = visitorOf(req, res);
    const change = { currentPassword: current_password, newPassword, visitor };
    await app.changePassword(sessionOf(res), change);
    res.status(204).end();
  });

  return router;
}

const view = ({ id, email, origin, createdAt, emailVerifiedAt, role }: User) => ({
  id,
  email,
  email_verified: emailVerifiedAt !== null,
  created_at: createdAt.toISOString(),
  role,
  origin: originOf(origin),
  has_password: origin === null,
});
