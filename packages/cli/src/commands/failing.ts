import {
  type FailingUser,
  type FailingWebhook,
  WebhooksAdminServiceService,
} from '@junction/contracts';
import { Command, Option } from 'commander';
import { limit, uuid } from '../arguments.js';
import { line, table } from '../output.js';
import { type Asking, asksWebhooks, examples, type World } from '../world.js';

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
    const asked = { limit: Number(options['limit']) };
    if (options['byUser'] === true) return byUser(asking, asked);
    const { user } = options;
    return byWebhook(asking, { ...asked, userId: typeof user === 'string' ? user : '' });
  });
}

async function byWebhook(
  { ops, json, output }: Asking,
  asked: { readonly limit: number; readonly userId: string },
): Promise<void> {
  const { webhooks } = await ops.call(WebhooksAdminServiceService.listFailingWebhooks, asked);
  if (json) {
    for (const webhook of webhooks) output.out(line(webhookView(webhook)));
    return;
  }
  const rows = webhooks.map(({ webhookId, userId, host, reason, waiting, ...webhook }) => [
    webhookId,
    userId,
    host,
    reason,
    time(webhook.failingSince),
    waiting,
    webhook.probeAt ? `${webhook.status}, resting` : webhook.status,
  ]);
  const titles = ['WEBHOOK', 'USER', 'HOST', 'REASON', 'SINCE', 'WAITING', 'STATUS'];
  output.out(table(titles, rows, 'No webhook fails.'));
}

async function byUser(
  { ops, json, output }: Asking,
  asked: { readonly limit: number },
): Promise<void> {
  const { users } = await ops.call(WebhooksAdminServiceService.listFailingUsers, asked);
  if (json) {
    for (const user of users) output.out(line(userView(user)));
    return;
  }
  const rows = users.map(({ userId, failing, webhooks, failingSince }) => [
    userId,
    failing,
    webhooks,
    time(failingSince),
  ]);
  output.out(table(['USER', 'FAILING', 'OF', 'SINCE'], rows, 'No webhook fails.'));
}

const time = (at: Date | undefined): string => at?.toISOString() ?? '';

const webhookView = ({ webhookId, userId, status, host, ...webhook }: FailingWebhook) => ({
  webhook_id: webhookId,
  user_id: userId,
  status,
  host,
  failing_since: webhook.failingSince,
  last_failed_at: webhook.lastFailedAt,
  reason: webhook.reason,
  waiting: webhook.waiting,
  probe_at: webhook.probeAt,
});

const userView = ({ userId, failing, webhooks, failingSince }: FailingUser) => ({
  user_id: userId,
  failing,
  webhooks,
  failing_since: failingSince,
});
