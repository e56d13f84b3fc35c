import { actorOf } from '@junction/operations';
import { type OperatorRouters, readList, readOne } from '@junction/service';
import { mount, parse } from '@junction/service/http';
import type { Router } from 'express';
import { z } from 'zod';
import { userNotFound } from '../../../application/user-not-found.js';
import { users, userWithCounts } from '../../postgres/operators/user-reads.js';
import * as answers from '../answers.js';
import { email } from '../credentials-schema.js';
import type { OperatorRoutesOptions } from './operator-options.js';
import { userCursor, userCursorOf } from './user-cursor.js';

const LIMIT_MAX = 100;

const page = z.strictObject({
  email: email.optional(),
  role: z
    .enum(['operator'])
    .optional()
    .describe('Role of the users; closed accounts, which nobody can use, are left out.'),
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

function addUsers(people: Router, { reading }: OperatorRoutesOptions): void {
  readList(people, reading, {
    id: 'listUsers',
    path: '/api/ops/auth/users',
    summary: 'List users, the newest first',
    about: 'Addresses are masked. `email` finds the user of an address, to the letter.',
    query: page,
    read: users,
    asks({ query }) {
      const { email, role, cursor, limit } = query();
      return {
        values: {
          email: email ?? null,
          role: role ?? null,
          before_at: cursor?.created_at ?? null,
          before_id: cursor?.id ?? null,
          limit,
        },
        // An address is personal, and the journal is kept for ever.
        recorded: {
          byEmail: email !== undefined,
          after: cursor?.id ?? '',
          limit,
          ...(role && { role }),
        },
      };
    },
    next: userCursorOf,
  });

  readOne(people, reading, {
    id: 'getUser',
    path: '/api/ops/auth/users/:id',
    summary: 'Get a user',
    about: 'With the numbers of sessions and API keys. The address is masked.',
    problems: ['invalid_request', 'user_not_found'],
    read: userWithCounts,
    asks({ req }) {
      const { id } = parse(one, req.params);
      return { values: { user_id: id }, recorded: { userId: id } };
    },
    missing: userNotFound,
  });
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
