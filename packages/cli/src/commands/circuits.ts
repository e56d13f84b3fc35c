import { Command, Option } from 'commander';
import { limit } from '../arguments.js';
import { line, table } from '../output.js';
import { asksWebhooks, examples, type World } from '../world.js';

/** `junction circuits …` */
export const circuitsCommand = (world: World): Command =>
  new Command('circuits')
    .description('webhooks that are left alone for failing')
    .addCommand(listCommand(world))
    .addCommand(probeCommand(world));

function listCommand(world: World): Command {
  const command = new Command('list')
    .description('those first whose probe is due next')
    .addOption(new Option('-n, --limit <count>', 'at most so many').argParser(limit).default(100))
    .addHelpText('after', examples('circuits list'));
  return asksWebhooks(command, world, 'read', async ({ ops, json, output }, _, options) => {
    const params = { query: { limit: Number(options['limit']) } };
    const { items } = await ops.get('/api/ops/webhook-dispatcher/circuits', { params });
    if (json) {
      for (const circuit of items) output.out(line(circuit));
      return;
    }
    const rows = items.map((circuit) => [
      circuit.webhook_id,
      circuit.user_id,
      circuit.host,
      circuit.state,
      circuit.opened_at,
      circuit.probe_at,
    ]);
    const titles = ['WEBHOOK', 'USER', 'HOST', 'STATE', 'OPENED', 'PROBE'];
    output.out(table(titles, rows, 'No circuit is open.'));
  });
}

function probeCommand(world: World): Command {
  const command = new Command('probe')
    .description('send the next request now; when it succeeds the circuit closes')
    .argument('<webhook>', 'wh_…')
    .addHelpText('after', examples('circuits probe wh_0199…'));
  return asksWebhooks(command, world, 'write', async ({ ops, json, output }, [id = '']) => {
    const params = { path: { webhook_id: id } };
    await ops.post('/api/ops/webhook-dispatcher/circuits/{webhook_id}/probe', { params });
    output.out(
      json
        ? line({ webhook_id: id })
        : `The next request to ${id} goes out now. If it succeeds the circuit closes.\n`,
    );
  });
}
