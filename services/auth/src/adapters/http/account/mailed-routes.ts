import { poolUntil, type Reading } from '@junction/service';
import { findCaller, mount } from '@junction/service/http';
import { Router } from 'express';
import { z } from 'zod';
import type { Application } from '../../../application/application.js';
import { knownApiKeys } from '../../postgres/api-key/api-key-reads.js';
import { knownWebhooks } from '../../postgres/webhook/known-webhook-reads.js';
import { email, knownPassword, mailed, newPassword } from '../credentials-schema.js';
import type { KnownBrowser } from '../known-browser.js';
import { visitorOf } from '../visitor.js';

const verification = mailed
  .extend({
    password: knownPassword
      .optional()
      .describe('The password of the registration; a session of the account does as well.'),
    new_password: newPassword
      .optional()
      .describe(
        'The password that somebody chooses who did not register: the account begins anew with it.',
      ),
  })
  .refine(({ password, new_password }) => password === undefined || new_password === undefined, {
    path: ['new_password'],
    error:
      'must not be sent with password: the account is kept with one, and begins anew with the other',
  });
const forgotten = z.strictObject({ email });
const nothing = z.strictObject({});
const reset = mailed.extend({
  new_password: newPassword,
  keep_api_keys: z
    .boolean()
    .optional()
    .describe('API keys of the account end unless this is true.'),
  keep_webhooks: z
    .boolean()
    .optional()
    .describe('Webhooks of the account are disabled unless this is true.'),
});

const resetPreview = z
  .object({
    begins_anew: z
      .boolean()
      .describe('The address was never verified: the account ends, and another one begins.'),
    api_keys: z
      .array(knownApiKeys.item)
      .describe('API keys that end unless they are kept. Empty where the account begins anew.'),
    webhooks: z
      .array(knownWebhooks.item)
      .describe(
        'Webhooks that are disabled unless they are kept. Empty where the account begins anew.',
      ),
  })
  .meta({ id: 'PasswordResetPreview' });

/** Open to everybody, but whoever has a session may show it. */
export function verificationRoutes(app: Application): Router {
  const router = Router();
  mount(
    router,
    {
      id: 'verifyEmail',
      method: 'post',
      path: '/api/auth/verify-email',
      summary: 'Verify an address by the token that came by mail',
      about:
        'The token shows who reads the mailbox; a session of the account or its `password` shows who opened it. Who did not sends `new_password`: everything of the account ends, and another begins with the address. A change of address needs the session or the password.',
      body: verification,
      example: { token: 'vt_0198c0de01237abc', password: 'a horse that staples batteries' },
      status: 204,
      problems: [
        'session_required',
        'invalid_or_used_token',
        'registrant_unknown',
        'password_required',
        'invalid_password',
        'email_taken',
        'too_many_attempts',
        'too_busy',
      ],
    },
    async ({ req, res, body }) => {
      const { token, password, new_password } = body();
      const caller = findCaller(res);
      // An API key may be somebody's who found it: it has no session.
      const sessionUserId = caller?.sessionId === undefined ? undefined : caller.userId;
      const proof = { sessionUserId, password, newPassword: new_password };
      await app.verifyEmail(token, visitorOf(req, res), proof);
    },
  );
  return router;
}

/** Open to everybody: what came by mail is the proof itself. */
export function passwordResetRoutes(
  app: Application,
  known: KnownBrowser,
  reading: Reading,
): Router {
  const router = Router();
  addPreview(router, app, reading);
  addForgotten(router, app, known);
  addPasswordReset(router, app);
  return router;
}

function addPreview(router: Router, app: Application, { pool }: Reading): void {
  mount(
    router,
    {
      id: 'previewPasswordReset',
      method: 'post',
      path: '/api/auth/reset-password/preview',
      summary: 'Ask what a reset of the password will end',
      about: 'The token goes on counting.',
      body: mailed,
      example: { token: 'rp_0198c0de01237abc' },
      answer: resetPreview,
      problems: ['invalid_or_used_token', 'too_many_attempts'],
    },
    async ({ req, res, body, signal }) => {
      const { userId } = await app.previewPasswordReset(body().token, visitorOf(req, res));
      if (userId === undefined) return { begins_anew: true, api_keys: [], webhooks: [] };
      const [db, values] = [poolUntil(pool, signal), { user_id: userId }];
      const keys = await knownApiKeys.rows(db, values);
      return {
        begins_anew: false,
        api_keys: keys.map(knownApiKeys.show),
        webhooks: await knownWebhooks.rows(db, values),
      };
    },
  );
}

function addForgotten(router: Router, app: Application, known: KnownBrowser): void {
  mount(
    router,
    {
      id: 'forgotPassword',
      method: 'post',
      path: '/api/auth/forgot-password',
      summary: 'Have a link sent that sets a new password',
      about:
        'Answers the same whether there is such an account or not. Asked again while the link counts, the same link is mailed. A browser that was signed in to the account is never refused.',
      body: forgotten,
      example: { email: 'ada@example.com' },
      answer: nothing,
      status: 202,
      problems: ['too_many_attempts', 'mail_unavailable'],
    },
    async ({ req, res, body }) => {
      await app.forgotPassword(body().email, visitorOf(req, res), await known.users(req));
      return {};
    },
  );
}

function addPasswordReset(router: Router, app: Application): void {
  mount(
    router,
    {
      id: 'resetPassword',
      method: 'post',
      path: '/api/auth/reset-password',
      summary: 'Set a new password by the token that came by mail',
      about:
        'Ends every session and portal, every API key unless `keep_api_keys` is true, and disables every webhook unless `keep_webhooks` is true. Where the address was never verified the account begins anew: everything of it ends, and another user has the address.',
      body: reset,
      example: { token: 'rp_0198c0de01237abc', new_password: 'a battery that staples horses' },
      status: 204,
      problems: ['invalid_or_used_token', 'too_many_attempts', 'too_busy'],
    },
    async ({ req, res, body }) => {
      const { token, new_password, ...kept } = body();
      const { keep_api_keys: keepApiKeys, keep_webhooks: keepWebhooks } = kept;
      const wishes = { keepApiKeys, keepWebhooks };
      await app.resetPassword(token, new_password, visitorOf(req, res), wishes);
    },
  );
}
