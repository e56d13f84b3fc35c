import type { Journal } from '@junction/ops';
import { callerOf, mount, parse } from '@junction/service-kit/http';
import { Router } from 'express';
import { z } from 'zod';
import type { Application } from '../../application/application.js';
import { userNotFound } from '../../application/operator/change-role.js';
import type { ListedUser, UserDirectory } from '../../application/operator/ports.js';
import { maskedEmail } from '../masked-email.js';
import { pageOf, userCursor } from '../user-page.js';
import * as answers from './answers.js';
import { email } from './credentials-schema.js';
import { originOf } from './origin.js';

const LIMIT_MAX = 100;

const page = z.strictObject({
  email: email.optional(),
  cursor: userCursor.optional(),
  limit: z.coerce.number().int().min(1).max(LIMIT_MAX).default(50),
});
const nothing = z.strictObject({});
const one = z.object({ id: z.uuid() });

export interface OperatorRoutesOptions {
  readonly app: Pick<Application, 'removeFactors' | 'rotateSigningKeys' | 'userNamed'>;
  readonly users: UserDirectory;
  readonly journal: Journal;
}

/** Accounts as operators see them: no address in full, and nothing that opens an account. */
export function operatorRoutes({ app, users, journal }: OperatorRoutesOptions): Router {
  const router = Router();
  addKeyRotation(router, app, journal);

  mount(
    router,
    {
      id: 'listUsers',
      method: 'get',
      path: '/api/ops/auth/users',
      summary: 'List users, the newest first',
      query: page,
      answer: answers.listedUsers,
    },
    async ({ res, query }) => {
      const { email, cursor: before, limit } = query();
      // An address is personal, and the journal is kept for ever.
      const asked = { byEmail: email !== undefined, after: before?.id ?? '', limit };
      await journal.read(callerOf(res), 'ListUsers', asked);
      const found = await users.list({ email, before, limit: limit + 1 });
      const { items, next } = pageOf(found, limit);
      return { items: items.map(view), next_cursor: next ?? null };
    },
  );

  mount(
    router,
    {
      id: 'getUser',
      method: 'get',
      path: '/api/ops/auth/users/:id',
      summary: 'Get a user',
      answer: answers.listedUser,
      problems: ['invalid_request', 'user_not_found'],
    },
    async ({ req, res }) => {
      const { id } = parse(one, req.params);
      await journal.read(callerOf(res), 'GetUser', { userId: id });
      const user = await users.find(id);
      if (user === undefined) throw userNotFound();
      const { sessions, apiKeys } = user;
      return { user: { ...view(user), counts: { sessions, api_keys: apiKeys } } };
    },
  );

  addFactorRemoval(router, app, journal);
  return router;
}

const rotation = z.strictObject({ compromised: z.boolean() });

function addKeyRotation(
  router: Router,
  { rotateSigningKeys }: OperatorRoutesOptions['app'],
  journal: Journal,
): void {
  mount(
    router,
    {
      id: 'rotateSigningKeys',
      method: 'post',
      path: '/api/ops/auth/signing-keys/rotate',
      summary: 'Make another key that signs access tokens',
      about:
        'Without a pause. `compromised`: a key has leaked, so the others count no more, and neither does a token that they signed.',
      body: rotation,
      example: { compromised: false },
      answer: answers.rotatedSigningKeys,
    },
    async ({ res, body }) => {
      const { compromised } = body();
      const asked = { compromised };
      return journal.change(callerOf(res), 'RotateSigningKeys', asked, async () => {
        const { kid, signsFrom, publishedUntil } = await rotateSigningKeys({
          hasLeaked: compromised,
        });
        const answer = {
          kid,
          signs_from: signsFrom.toISOString(),
          others_published_until: publishedUntil.toISOString(),
        };
        return { answer, result: { kid } };
      });
    },
  );
}

function addFactorRemoval(
  router: Router,
  app: OperatorRoutesOptions['app'],
  journal: Journal,
): void {
  mount(
    router,
    {
      id: 'removeFactors',
      method: 'post',
      path: '/api/ops/auth/users/:id/remove-factors',
      summary: 'Remove every second factor of a user, and end the sessions',
      about:
        'For who has lost them, or into whose account somebody else has put one. Make sure who asks.',
      body: nothing,
      answer: answers.removedFactors,
      problems: ['user_not_found'],
    },
    async ({ req, res, body }) => {
      body();
      const { id } = parse(one, req.params);
      return journal.change(callerOf(res), 'RemoveFactors', { userId: id }, async () => {
        const userId = await app.userNamed({ userId: id });
        const answer = await app.removeFactors(userId);
        return { answer, result: { userId, ...answer } };
      });
    },
  );
}

const view = ({ id, email, origin, createdAt, emailVerifiedAt, role }: ListedUser) => ({
  id,
  masked_email: email && maskedEmail(email),
  origin: originOf(origin),
  created_at: createdAt.toISOString(),
  role,
  email_verified: emailVerifiedAt !== null,
});
