import { mount } from '@junction/service-kit/http';
import { Router } from 'express';
import { z } from 'zod';
import type { Application } from '../../application/application.js';
import { email, newPassword } from './credentials-schema.js';
import { visitorOf } from './visitor.js';

const token = z.string().min(1).max(200);

const verification = z.strictObject({ token });
const forgotten = z.strictObject({ email });
const nothing = z.strictObject({});
const reset = z.strictObject({ token, new_password: newPassword });

/** Open to everybody: what came by mail is the proof itself. */
export function mailedRoutes(app: Application): Router {
  const router = Router();

  mount(
    router,
    {
      id: 'verifyEmail',
      method: 'post',
      path: '/api/auth/verify-email',
      summary: 'Verify an address by the token that came by mail',
      body: verification,
      example: { token: 'vt_0198c0de01237abc' },
      status: 204,
      problems: ['invalid_or_used_token', 'email_taken', 'too_many_attempts'],
    },
    async ({ req, res, body }) => app.verifyEmail(body().token, visitorOf(req, res)),
  );

  addPasswordReset(router, app);
  return router;
}

function addPasswordReset(router: Router, app: Application): void {
  mount(
    router,
    {
      id: 'forgotPassword',
      method: 'post',
      path: '/api/auth/forgot-password',
      summary: 'Have a link sent that sets a new password',
      about: 'Answers the same whether there is such an account or not.',
      body: forgotten,
      example: { email: 'ada@example.com' },
      answer: nothing,
      status: 202,
      problems: ['too_many_attempts', 'mail_unavailable'],
    },
    async ({ req, res, body }) => {
      await app.forgotPassword(body().email, visitorOf(req, res));
      return {};
    },
  );

  mount(
    router,
    {
      id: 'resetPassword',
      method: 'post',
      path: '/api/auth/reset-password',
      summary: 'Set a new password by the token that came by mail',
      about: 'Ends every session.',
      body: reset,
      example: { token: 'rp_0198c0de01237abc', new_password: 'a battery that staples horses' },
      status: 204,
      problems: ['invalid_or_used_token', 'too_many_attempts', 'too_busy'],
    },
    async ({ req, res, body }) => {
      const { token, new_password } = body();
      await app.resetPassword(token, new_password, visitorOf(req, res));
    },
  );
}
