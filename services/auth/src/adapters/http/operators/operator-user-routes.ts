import { actorOf } from '@junction/operations';
import type { OperatorRouters } from '@junction/service';
import { mount, parse } from '@junction/service/http';
import type { Router } from 'express';
import { z } from 'zod';
import type { ListedUser } from '../../../application/operators/ports.js';
import { userNotFound } from '../../../application/user-not-found.js';
import { maskedEmail } from '../../masked-email.js';
import { pageOf, userCursor } from '../../user-page.js';
import * as answers from '../answers.js';
import { email } from '../credentials-schema.js';
import { originOf } from '../origin.js';
import type { OperatorRoutesOptions } from './operator-options.js';

const LIMIT_MAX = 100;

const page = z.strictObject({
  email: email.optional(),
  cursor: userCursor.optional(),
  limit: z.coerce.number().int().min(1).max(LIMIT_MAX).default(50),
});
const nothing = z.strictObject({});
const one = z.object({ id: z.uuid() });

/** Adds the routes by which operators see and end accounts. */
export function addUserRoutes(
  { people, tools }: OperatorRouters,
  options: OperatorRoutesOptions,
): void {
  addUsers(people, options);
  addFactorRemoval(people, options);
  addDeletion(tools, options);
}

function addUsers(people: Router, { users, journal }: OperatorRoutesOptions): void {
  mount(
    people,
    {
      id: 'listUsers',
      method: 'get',
      path: '/api/ops/auth/users',
      summary: 'List users, the newest first',
      about: 'Addresses are masked. `email` finds the user of an address, to the letter.',
      query: page,
      answer: answers.listedUsers,
    },
    async ({ res, query }) => {
      const { email, cursor: before, limit } = query();
      // An address is personal, and the journal is kept for ever.
      const asked = { byEmail: email !== undefined, after: before?.id ?? '', limit };
      await journal.read(actorOf(res), 'ListUsers', asked);
      const found = await users.list({ email, before, limit: limit + 1 });
      const { items, next } = pageOf(found, limit);
      return { items: items.map(view), next_cursor: next ?? null };
    },
  );

  mount(
    people,
    {
      id: 'getUser',
      method: 'get',
      path: '/api/ops/auth/users/:id',
      summary: 'Get a user',
      about: 'With the numbers of sessions and API keys. The address is masked.',
      answer: answers.listedUser,
      problems: ['invalid_request', 'user_not_found'],
    },
    async ({ req, res }) => {
      const { id } = parse(one, req.params);
      await journal.read(actorOf(res), 'GetUser', { userId: id });
      const user = await users.find(id);
      if (user === undefined) throw userNotFound();
      const { sessions, apiKeys } = user;
      return { user: { ...view(user), counts: { sessions, api_keys: apiKeys } } };
    },
  );
}

function addFactorRemoval(people: Router, { app, journal }: OperatorRoutesOptions): void {
  mount(
    people,
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
      return journal.change(actorOf(res), 'RemoveFactors', { userId: id }, async () => {
        const userId = await app.userNamed({ userId: id });
        const answer = await app.removeFactors(userId);
        return { answer, result: { userId, ...answer } };
      });
    },
  );
}

function addDeletion(tools: Router, { app, journal }: OperatorRoutesOptions): void {
  mount(
    tools,
    {
      id: 'deleteUser',
      method: 'delete',
      path: '/api/ops/auth/users/:id',
      summary: 'Delete a user with all that every service holds of the user',
      about: 'The answer has a receipt, at which the deletion in every service can be followed.',
      answer: z.object({
        receipt_id: z
          .string()
          .describe('GET /api/auth/deletion-receipts/{id} says what each service has deleted.'),
      }),
      problems: ['user_not_found'],
    },
    async ({ req, res }) => {
      const { id } = parse(one, req.params);
      return journal.change(actorOf(res), 'DeleteUser', { userId: id }, async () => {
        const userId = await app.userNamed({ userId: id });
        const receipt = await app.deleteUser(userId);
        if (receipt === undefined) throw userNotFound();
        return { answer: { receipt_id: receipt.receiptId }, result: { userId } };
      });
    },
  );
}

const view = ({ id, email, origin, createdAt, emailVerifiedAt, role, closedAt }: ListedUser) => ({
  id,
  masked_email: email && maskedEmail(email),
  origin: originOf(origin),
  created_at: createdAt.toISOString(),
  role,
  email_verified: emailVerifiedAt !== null,
  closed_at: closedAt?.toISOString() ?? null,
});
