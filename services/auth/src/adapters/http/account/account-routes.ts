import type { ProblemCode } from '@junction/errors';
import { recentFactor, recentSignIn } from '@junction/service/callers';
import { callerOf, mount } from '@junction/service/http';
import { Router } from 'express';
import { z } from 'zod';
import type { User } from '../../../application/account/ports.js';
import type { Application, Reads } from '../../../application/application.js';
import * as answers from '../answers.js';
import { knownPassword, newEmail, newPassword } from '../credentials-schema.js';
import { originOf } from '../origin.js';
import { sessionOf, userOf } from '../session-of.js';
import { apiKeyView, secondFactorsView, sessionView } from '../views.js';
import { visitorOf } from '../visitor.js';

const registration = z.strictObject({ email: newEmail, password: newPassword });
const emailChange = z.strictObject({ password: knownPassword, new_email: newEmail });
const passwordChange = z.strictObject({
  current_password: knownPassword,
  new_password: newPassword,
});
const choices = z.strictObject({
  trouble_mails: answers.troubleMails.optional(),
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
export function accountRoutes(app: Application): Router {
  const router = Router();
  addReads(router, app);
  addChoices(router, app);
  addChanges(router, app);
  return router;
}

function addReads(router: Router, app: Application): void {
  mount(
    router,
    {
      id: 'getMe',
      method: 'get',
      path: '/api/auth/me',
      summary: 'Get the account of the caller',
      about: 'Users of trusted issuers have no address here.',
      answer: answers.me,
    },
    async ({ res, signal }) => meView(app.reading(signal), callerOf(res).userId),
  );

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
      const exported = await app.reading(signal).exportAccount(userOf(res));
      const { user, sessions, apiKeys, secondFactors, history } = exported;
      res.attachment('junction-account.json');
      return {
        user: view(user),
        sessions: sessions.map(sessionView),
        api_keys: apiKeys.map(apiKeyView),
        second_factors: secondFactorsView(secondFactors),
        history: history.map(({ type, data }) => ({ type, ...data })),
      };
    },
  );
}

function addChoices(router: Router, app: Application): void {
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
      answer: answers.me,
      problems: ['session_required'],
    },
    async ({ res, body, signal }) => {
      const userId = userOf(res);
      const { trouble_mails: wanted, first_steps_closed: areClosed } = body();
      if (wanted !== undefined) await app.chooseTroubleMails(userId, wanted);
      if (areClosed) await app.closeFirstSteps(userId);
      return meView(app.reading(signal), userId);
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

async function meView(reads: Reads, userId: string) {
  const [user, factors] = await Promise.all([reads.me(userId), reads.factorsOf(userId)]);
  const { totpSince, passkeys } = factors;
  const second_factor = totpSince !== null || passkeys.length > 0;
  return { user: { ...view(user), second_factor, passkeys: passkeys.length } };
}

const view = ({ id, email, origin, createdAt, role, ...user }: User) => ({
  id,
  email,
  email_verified: user.emailVerifiedAt !== null,
  created_at: createdAt.toISOString(),
  role,
  origin: originOf(origin),
  has_password: origin === null,
  trouble_mails: user.troubleMails,
  first_steps_closed: user.hasClosedFirstSteps,
});
