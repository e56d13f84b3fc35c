import { operatorGroup, operatorList } from '../verbs.js';
import type { World } from '../world.js';
import { USER, userIdOf } from './user-named.js';

/** `junction operators …` */
export const command = (world: World) =>
  operatorGroup(
    world,
    ['operators', "users who may ask the operators' routes, /api/ops", 'auth'],
    [
      operatorList({
        name: 'list',
        about: 'each operator, with the address masked',
        examples: ['operators list'],
        path: '/api/ops/auth/users',
        fixed: { role: 'operator' },
        columns: { USER: 'id', 'E-MAIL': 'masked_email' },
        empty: 'There are no operators.',
        json: ({ id, masked_email }) => ({ user_id: id, email: masked_email ?? '' }),
      }),
      {
        name: 'add',
        about: 'make a user an operator; her tokens say so from the next refresh',
        args: [USER],
        examples: ['operators add ada@example.com'],
        async write(context, [named = '']) {
          const id = await userIdOf(context, named);
          await context.ops.post('/api/ops/auth/operators', { body: { user_id: id } });
          context.show({ user_id: id }, `${id} is an operator.\n`);
        },
      },
      {
        name: 'remove',
        about: "take the role away, and end the user's sessions",
        args: [USER],
        examples: ['operators remove ada@example.com'],
        async write(context, [named = '']) {
          const id = await userIdOf(context, named);
          const params = { path: { user_id: id } };
          await context.ops.delete('/api/ops/auth/operators/{user_id}', { params });
          context.show({ user_id: id }, `${id} is not an operator any more.\n`);
        },
      },
    ],
  );
