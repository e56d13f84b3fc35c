import { Command } from 'commander';
import { asksAuth, examples, type World } from '../world.js';
import { userIdOf } from './user-named.js';

/** `junction operators …` */
export const operatorsCommand = (world: World): Command =>
  new Command('operators')
    .description("users who may ask the operators' routes, /api/ops")
    .addCommand(list(world))
    .addCommand(add(world))
    .addCommand(remove(world));

function list(world: World): Command {
  const command = new Command('list')
    .description('each operator, with the address masked')
    .addHelpText('after', examples('operators list'));
  return asksAuth(command, world, 'read', async ({ ops, list }) => {
    const { items } = await ops.get('/api/ops/auth/operators');
    list(items, {
      titles: ['USER', 'E-MAIL'],
      row: ({ user_id: userId, masked_email: email }) => [userId, email ?? ''],
      empty: 'There are no operators.',
      json: ({ user_id, masked_email }) => ({ user_id, email: masked_email ?? '' }),
    });
  });
}

function add(world: World): Command {
  const command = new Command('add')
    .argument('<user>', 'a user id or an e-mail address')
    .description('make a user an operator; her tokens say so from the next refresh')
    .addHelpText('after', examples('operators add ada@example.com'));
  return asksAuth(command, world, 'write', async (asking, [user = '']) => {
    const { ops, show } = asking;
    const userId = await userIdOf(asking, user);
    await ops.post('/api/ops/auth/operators', { body: { user_id: userId } });
    show({ user_id: userId }, `${userId} is an operator.\n`);
  });
}

function remove(world: World): Command {
  const command = new Command('remove')
    .argument('<user>', 'a user id or an e-mail address')
    .description("take the role away, and end the user's sessions")
    .addHelpText('after', examples('operators remove ada@example.com'));
  return asksAuth(command, world, 'write', async (asking, [user = '']) => {
    const { ops, show } = asking;
    const userId = await userIdOf(asking, user);
    const params = { path: { user_id: userId } };
    await ops.delete('/api/ops/auth/operators/{user_id}', { params });
    show({ user_id: userId }, `${userId} is not an operator any more.\n`);
  });
}
