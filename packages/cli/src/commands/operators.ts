import { AuthAdminServiceService } from '@junction/contracts';
import { Command } from 'commander';
import { line, table } from '../output.js';
import { asksAuth, examples, type World } from '../world.js';

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
  return asksAuth(command, world, 'read', async ({ ops, json, output }) => {
    const { operators } = await ops.call(AuthAdminServiceService.listOperators, {});
    if (json) {
      for (const { userId: user_id, maskedEmail: email } of operators)
        output.out(line({ user_id, email }));
      return;
    }
    const rows = operators.map(({ userId, maskedEmail }) => [userId, maskedEmail]);
    output.out(table(['USER', 'E-MAIL'], rows, 'There are no operators.'));
  });
}

function add(world: World): Command {
  const command = new Command('add')
    .argument('<user>', 'a user id or an e-mail address')
    .description('make a user an operator; her tokens say so from the next refresh')
    .addHelpText('after', examples('operators add ada@example.com'));
  return asksAuth(command, world, 'write', async ({ ops, json, output }, [user = '']) => {
    const { userId } = await ops.call(AuthAdminServiceService.addOperator, { user });
    output.out(json ? line({ user_id: userId }) : `${userId} is an operator.\n`);
  });
}

function remove(world: World): Command {
  const command = new Command('remove')
    .argument('<user>', 'a user id or an e-mail address')
    .description("take the role away, and end the user's sessions")
    .addHelpText('after', examples('operators remove ada@example.com'));
  return asksAuth(command, world, 'write', async ({ ops, json, output }, [user = '']) => {
    const { userId } = await ops.call(AuthAdminServiceService.removeOperator, { user });
    output.out(json ? line({ user_id: userId }) : `${userId} is no operator.\n`);
  });
}
