import { Command } from 'commander';
import { Failure } from '../failure.js';
import { line } from '../output.js';
import { asks, examples, type World } from '../world.js';

/** `junction health` */
export function healthCommand(world: World): Command {
  const command = new Command('health')
    .description('health of a service, and the checks of it that fail')
    .addHelpText('after', examples('health -s webhooks'));
  return asks(command, world, 'read', async ({ ops, at, service, json, output }) => {
    const { ready, failing } = await ops.get('/api/ops/{service}/health', { params: { path: at } });
    if (json) output.out(line({ service, ready, failing }));
    else if (ready) output.out(`${service} is ready.\n`);
    if (!ready) throw new Failure(`${service} is not ready: ${failing.join(', ')}.`);
  });
}
