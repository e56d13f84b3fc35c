import { actorOf, idOf } from '@junction/operations';
import { readList } from '@junction/service';
import { mount, parse } from '@junction/service/http';
import type { Response, Router } from 'express';
import { z } from 'zod';
import type { Named } from '../../../application/operators/change-role.js';
import { operators } from '../../postgres/operators/user-reads.js';
import { email } from '../credentials-schema.js';
import type { OperatorRoutesOptions } from './operator-options.js';

const byId = z.object({ user_id: z.uuid() });
const named = z
  .union([byId.strict(), z.strictObject({ email })])
  .transform((user) => ('email' in user ? user : { userId: user.user_id.toLowerCase() }));

/** Adds the routes that grant and withdraw the role of operator. Nobody gets it in a browser. */
export function addRoleRoutes(tools: Router, options: OperatorRoutesOptions): void {
  addList(tools, options);
  addChanges(tools, options);
}

function addList(tools: Router, { reading }: OperatorRoutesOptions): void {
  readList(tools, reading, {
    id: 'listOperators',
    isRetired: true,
    path: '/api/ops/auth/operators',
    summary: 'List the users who are operators',
    about: 'Addresses are masked.',
    read: operators,
    member: 'items',
  });
}

function addChanges(tools: Router, options: OperatorRoutesOptions): void {
  mount(
    tools,
    {
      id: 'addOperator',
      method: 'post',
      path: '/api/ops/auth/operators',
      summary: 'Make a user an operator',
      about: 'The tokens of the user say so from the next refresh on.',
      body: named,
      example: { email: 'ada@example.com' },
      answer: z.object({ user_id: z.uuid() }),
      problems: ['user_not_found'],
    },
    async ({ res, body }) => ({
      user_id: await changeRole(res, options, { method: 'AddOperator', user: body() }),
    }),
  );

  mount(
    tools,
    {
      id: 'removeOperator',
      method: 'delete',
      path: '/api/ops/auth/operators/:user_id',
      summary: 'Take the role of operator from a user, and end the sessions of the user',
      about: 'Service accounts go on, also when nobody is an operator any more.',
      status: 204,
      problems: ['user_not_found'],
    },
    async ({ req, res }) => {
      const user = named.parse(parse(byId, req.params));
      await changeRole(res, options, { method: 'RemoveOperator', user });
    },
  );
}

interface RoleChange {
  readonly method: 'AddOperator' | 'RemoveOperator';
  readonly user: Named;
}

async function changeRole(
  res: Response,
  { app, journal }: OperatorRoutesOptions,
  { method, user }: RoleChange,
): Promise<string> {
  const actor = actorOf(res);
  // An address is personal, and the journal is kept for ever.
  const asked = 'userId' in user ? { userId: user.userId } : { byEmail: true };
  return journal.change(actor, method, asked, async () => {
    const userId = await app.userNamed(user);
    await app.changeRole(userId, method === 'AddOperator' ? 'operator' : 'user', idOf(actor));
    return { answer: userId, result: { userId } };
  });
}
