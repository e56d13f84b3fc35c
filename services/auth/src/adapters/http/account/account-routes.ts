import type { ProblemCode } from '@junction/errors';
import { poolUntil, type Reading, readItem, readOne } from '@junction/service';
import { recentFactor, recentSignIn } from '@junction/service/callers';
import { callerOf, mount } from '@junction/service/http';
import { Router } from 'express';
import { z } from 'zod';
import type { Application } from '../../../application/application.js';
import { accountGone } from '../../../application/me.js';
import { me, troubleMails, user } from '../../postgres/account/account-reads.js';
import { apiKeys } from '../../postgres/api-key/api-key-reads.js';
import { liveSessions } from '../../postgres/session/session-reads.js';
import * as answers from '../answers.js';
import { knownPassword, newEmail, newPassword } from '../credentials-schema.js';
import { sessionOf, userOf } from '../session-of.js';
import { secondFactorsView } from '../views.js';
import { visitorOf } from '../visitor.js';

const registration = z.strictObject({ email: newEmail, password: newPassword });
const emailChange = z.strictObject({ password: knownPassword, new_email: newEmail });
const passwordChange = z.strictObject({
  current_password: knownPassword,
  new_password: newPassword,
});
const choices = z.strictObject({
  trouble_mails: troubleMails.optional(),
  first_steps_closed: z.literal(true).optional(),
});
const nothing = z.strictObject({});

/** Open to everybody. */
export function registrationRoutes(app: Application): Router {
  const router = Router();
  mount(
    router,
    {
      id: 'register',
      method: 'post',
      path: '/api/auth/register',
      summary: 'Open an account',
      about:
        'A mail with a link verifies the address. An address that has an account already is refused.',
      body: registration,
      example: { email: 'ada@example.com', password: 'a horse that staples batteries' },
      answer: answers.registered,
      status: 201,
      problems: ['email_taken', 'too_many_attempts', 'too_busy'],
    },
    async ({ req, res, body }) => {
      const { email, password } = body();
      const user = await app.register({ email, password, visitor: visitorOf(req, res) });
      res.location('/api/auth/me');
      return { user: { id: user.id, email: user.email } };
    },
  );
  return router;
}

/** An account, for who is signed in to it. */
export function accountRoutes(app: Application, reading: Reading): Router {
  const router = Router();
  addReads(router, app, reading);
  addChoices(router, app, reading);
  addChanges(router, app);
  return router;
}

const account = { read: me, missing: accountGone };
const valuesOf = ({ sendsMail }: Application, userId: string) => ({
  user_id: userId,
  sends_mail: sendsMail,
});

function addReads(router: Router, app: Application, reading: Reading): void {
  readOne(router, reading, {
    id: 'getMe',
    path: '/api/auth/me',
    summary: 'Get the account of the caller',
    about: 'Users of trusted issuers have no address here.',
    ...account,
    asks: ({ res }) => ({ values: valuesOf(app, callerOf(res).userId) }),
  });

  mount(
    router,
    {
      id: 'exportAccount',
      method: 'get',
      path: '/api/auth/export',
      summary: 'Get everything that is kept of the account',
      cost: 20,
      through: [recentSignIn],
      answer: answers.account,
      problems: ['session_required'],
    },
    async ({ res, signal }) => {
      const userId = userOf(res);
      const values = { user_id: userId };
      const db = poolUntil(reading.pool, signal);
      const { factorsOf, historyOf } = app.reading(signal);
      res.attachment('junction-account.json');
      return {
        user: await readItem({ read: user, missing: accountGone }, db, values),
        sessions: await liveSessions.rows(db, values),
        api_keys: await apiKeys.rows(db, values),
        second_factors: secondFactorsView(await factorsOf(userId)),
        history: (await historyOf(userId)).map(({ type, data }) => ({ type, ...data })),
      };
    },
  );
}

function addChoices(router: Router, app: Application, { pool }: Reading): void {
  mount(
    router,
    {
      id: 'updateMe',
      method: 'patch',
      path: '/api/auth/me',
      summary: 'Choose which mails the account gets, or close the first steps in the dashboard',
      about: 'Members that are left out stay.',
      body: choices,
      example: { trouble_mails: false },
      answer: me.item,
      problems: ['session_required'],
    },
    async ({ res, body, signal }) => {
      const userId = userOf(res);
      const { trouble_mails: wanted, first_steps_closed: areClosed } = body();
      if (wanted !== undefined) await app.chooseTroubleMails(userId, wanted);
      if (areClosed) await app.closeFirstSteps(userId);
      return readItem(account, poolUntil(pool, signal), valuesOf(app, userId));
    },
  );
}

const PASSWORD_PROBLEMS: readonly ProblemCode[] = [
  'session_required',
  'user_of_another_origin',
  'invalid_password',
  'too_many_attempts',
  'too_busy',
];

function addChanges(router: Router, app: Application): void {
  mount(
    router,
    {
      id: 'resendVerification',
      method: 'post',
      path: '/api/auth/verify-email/resend',
      summary: 'Have the mail that verifies the address sent again',
      about: 'Nothing is sent to an address that is verified already.',
      body: nothing,
      answer: nothing,
      status: 202,
      problems: [
        'session_required',
        'user_of_another_origin',
        'too_many_attempts',
        'mail_unavailable',
      ],
    },
    async ({ req, res, body }) => {
      body();
      await app.resendVerification(sessionOf(res).userId, visitorOf(req, res));
      return {};
    },
  );

  mount(
    router,
    {
      id: 'changeEmail',
      method: 'post',
      path: '/api/auth/change-email',
      summary: 'Ask for another address',
      about: 'The address changes when the mail to the new one is confirmed.',
      through: [recentFactor],
      body: emailChange,
      example: { password: 'a horse that staples batteries', new_email: 'ada@example.org' },
      answer: nothing,
      status: 202,
      problems: [...PASSWORD_PROBLEMS, 'mail_unavailable'],
    },
    async ({ req, res, body }) => {
      const { password, new_email: newEmail } = body();
      const visitor = visitorOf(req, res);
      await app.changeEmail(sessionOf(res), { password, newEmail, visitor });
      return {};
    },
  );

  addPasswordChange(router, app);
}

function addPasswordChange(router: Router, app: Application): void {
  mount(
    router,
    {
      id: 'changePassword',
      method: 'post',
      path: '/api/auth/change-password',
      summary: 'Change the password',
      about: 'Ends every other session.',
      through: [recentFactor],
      body: passwordChange,
      example: {
        current_password: 'a horse that staples batteries',
        new_password: 'a battery that staples horses',
      },
      status: 204,
      problems: PASSWORD_PROBLEMS,
    },
    async ({ req, res, body }) => {
      const { current_password, new_password: newPassword } = body();
      const visitor = visitorOf(req, res);
      const change = { currentPassword: current_password, newPassword, visitor };
      await app.changePassword(sessionOf(res), change);
    },
  );
}
