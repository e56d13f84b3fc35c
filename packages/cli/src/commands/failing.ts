import { Command, Option } from 'commander';
import { limit, uuid } from '../arguments.js';
import { type Asking, asksWebhooks, examples, type World } from '../world.js';
import { strip } from './developers/strip.js';

/** `junction webhooks failing` */
export function failingCommand(world: World): Command {
  const command = new Command('failing')
    .description(
      'for operators: whose last attempt failed, those first that have failed for longest',
    )
    .addOption(new Option('--user <id>', 'only of this user').argParser(uuid).conflicts('byUser'))
    .option('--by-user', 'users, by how many of their webhooks fail')
    .addOption(new Option('-n, --limit <count>', 'at most so many').argParser(limit).default(100))
    .addHelpText('after', examples('webhooks failing', 'webhooks failing --by-user -n 20'));
  return asksWebhooks(command, world, 'read', async (asking, _, options) => {
    const limited = { limit: Number(options['limit']) };
    if (options['byUser'] === true) return byUser(asking, limited);
    const { user } = options;
    return byWebhook(asking, { ...limited, ...(typeof user === 'string' && { user_id: user }) });
  });
}

async function byWebhook(
  { ops, list }: Asking,
  query: { readonly limit: number; readonly user_id?: string },
): Promise<void> {
  const { items } = await ops.get('/api/ops/webhook-dispatcher/failing-webhooks', {
    params: { query },
  });
  list(items, {
    titles: ['WEBHOOK', 'USER', 'HOST', 'REASON', 'SINCE', 'WAITING', 'STATUS', 'LAST 90 ATTEMPTS'],
    row: (webhook) => [
      webhook.webhook_id,
      webhook.user_id,
      webhook.host,
      webhook.reason,
      webhook.failing_since,
      webhook.waiting,
      webhook.probe_at === null ? webhook.status : `${webhook.status}, resting`,
      strip(webhook.marks ?? ''),
    ],
    empty: 'No webhook fails.',
    json: ({ probe_at, ...webhook }) => ({ ...webhook, probe_at: probe_at ?? undefined }),
  });
}

async function byUser({ ops, list }: Asking, query: { readonly limit: number }): Promise<void> {
  const { items } = await ops.get('/api/ops/webhook-dispatcher/failing-users', {
    params: { query },
  });
  list(items, {
    titles: ['USER', 'FAILING', 'OF', 'SINCE'],
    row: (user) => [user.user_id, user.failing, user.webhooks, user.failing_since],
    empty: 'No webhook fails.',
  });
}
