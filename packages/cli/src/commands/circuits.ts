import { WebhooksAdminServiceService } from '@junction/contracts';
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
    const asked = { limit: Number(options['limit']) };
    const { circuits } = await ops.call(WebhooksAdminServiceService.listCircuits, asked);
    if (json) {
      for (const { webhookId, userId, host, state, openedAt, probeAt } of circuits) {
        const ids = { webhook_id: webhookId, user_id: userId };
        output.out(line({ ...ids, host, state, opened_at: openedAt, probe_at: probeAt }));
      }
      return;
    }
    const rows = circuits.map(({ webhookId, userId, host, state, openedAt, probeAt }) => [
      webhookId,
      userId,
      host,
      state,
      openedAt?.toISOString() ?? '',
      probeAt?.toISOString() ?? '',
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
  return asksWebhooks(command, world, 'write', async ({ ops, json, output }, [webhookId = '']) => {
    await ops.call(WebhooksAdminServiceService.probeCircuit, { webhookId });
    output.out(
      json
        ? line({ webhook_id: webhookId })
        : `The next request to ${webhookId} goes out now. If it succeeds the circuit closes.\n`,
    );
  });
}
