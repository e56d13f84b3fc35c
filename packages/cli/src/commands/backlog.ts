import type { Schemas } from '@junction/client';
import { Command, Option } from 'commander';
import { whole } from '../arguments.js';
import { fields, table } from '../output.js';
import { asksWebhooks, examples, type World } from '../world.js';

const HOURS_MAX = 168;

/** `junction deliveries backlog` */
export function backlogCommand(world: World): Command {
  const hours = new Option('--hours <count>', 'of what ended otherwise than by success')
    .argParser(whole(1, HOURS_MAX))
    .default(24);
  const command = new Command('backlog')
    .description('backlog for operators: what waits, how late it is, and what failed for good')
    .addOption(hours)
    .addHelpText('after', examples('deliveries backlog', 'deliveries backlog --hours 1'));
  return asksWebhooks(command, world, 'read', async ({ ops, show }, _, options) => {
    const hours = Number(options['hours']);
    const params = { query: { hours } };
    const backlog = await ops.get('/api/ops/webhook-dispatcher/backlog', { params });
    show(backlog, text(backlog, hours));
  });
}

function text(backlog: Schemas['Backlog'], hours: number): string {
  const { pending, retrying, due } = backlog;
  const late = due === 0 ? '' : `, the oldest for ${Math.round(backlog.oldest_due_s)} s`;
  const ended = backlog.ended.map(({ status, reason, count }) => [count, status, reason]);
  const reasons = backlog.reasons.map(({ reason, webhooks }) => [webhooks, reason]);
  return [
    fields({
      'first attempt': pending,
      'another attempt': retrying,
      'due, for us alone': `${due}${late}`,
      'webhooks failing': backlog.failing_webhooks,
      'circuits open': `${backlog.open_circuits}, and ${backlog.half_open_circuits} whose probe is due`,
    }),
    `\nEnded in ${hours} h, other than by success:\n`,
    table(['COUNT', 'STATUS', 'REASON'], ended, 'There were none.'),
    '\nWebhooks that fail now:\n',
    table(['WEBHOOKS', 'REASON'], reasons, 'No webhook fails.'),
  ].join('');
}
