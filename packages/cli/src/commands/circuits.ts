import { Command, Option } from 'commander';
import { limit } from '../arguments.js';
import { asksWebhooks, examples, type World } from '../world.js';

/** `junction circuits …` */
export const circuitsCommand = (world: World): Command =>
  new Command('circuits')
    .description('webhooks that are left alone for failing')
    .addCommand(listCommand(world))
    .addCommand(probeCommand(world));

function listCommand(world: World): Command {
  const command = new Command('list')
    .description('list the open circuits, the one whose probe is due next first')
    .addOption(new Option('-n, --limit <count>', 'at most so many').argParser(limit).default(100))
    .addHelpText('after', examples('circuits list'));
  return asksWebhooks(command, world, 'read', async ({ ops, list }, _, options) => {
    const params = { query: { limit: Number(options['limit']) } };
    const { items } = await ops.get('/api/ops/webhook-dispatcher/circuits', { params });
    list(items, {
      titles: ['WEBHOOK', 'USER', 'HOST', 'STATE', 'OPENED', 'PROBE'],
      row: (one) => [one.webhook_id, one.user_id, one.host, one.state, one.opened_at, one.probe_at],
      empty: 'No circuit is open.',
    });
  });
}

function probeCommand(world: World): Command {
  const command = new Command('probe')
    .description('send the next request now; when it succeeds the circuit closes')
    .argument('<webhook>', 'wh_…')
    .addHelpText('after', examples('circuits probe wh_0199…'));
  return asksWebhooks(command, world, 'write', async ({ ops, show }, [id = '']) => {
    const params = { path: { webhook_id: id } };
    await ops.post('/api/ops/webhook-dispatcher/circuits/{webhook_id}/probe', { params });
    const sent = `The next request to ${id} goes out now. If it succeeds the circuit closes.\n`;
    show({ webhook_id: id }, sent);
  });
}
