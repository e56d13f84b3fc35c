import { type GetBacklogResponse, WebhooksAdminServiceService } from '@junction/contracts';
import { Command, Option } from 'commander';
import { whole } from '../arguments.js';
import { fields, line, table } from '../output.js';
import { asksWebhooks, examples, type World } from '../world.js';

const HOURS_MAX = 168;

/** `junction deliveries backlog` */
export function backlogCommand(world: World): Command {
  const hours = new Option('--hours <count>', 'of what ended otherwise than by success')
    .argParser(whole(1, HOURS_MAX))
    .default(24);
  const command = new Command('backlog')
    .description('for operators: what waits, how late it is, and what failed for good')
    .addOption(hours)
    .addHelpText('after', examples('deliveries backlog', 'deliveries backlog --hours 1'));
  return asksWebhooks(command, world, 'read', async ({ ops, json, output }, _, options) => {
    const asked = { hours: Number(options['hours']) };
    const backlog = await ops.call(WebhooksAdminServiceService.getBacklog, asked);
    output.out(json ? line(view(backlog)) : text(backlog, asked.hours));
  });
}

const view = ({ ended, reasons, ...backlog }: GetBacklogResponse) => ({
  pending: backlog.pending,
  retrying: backlog.retrying,
  due: backlog.due,
  oldest_due_s: backlog.oldestDueS,
  failing_webhooks: backlog.failingWebhooks,
  open_circuits: backlog.openCircuits,
  half_open_circuits: backlog.halfOpenCircuits,
  ended,
  reasons,
});

function text(backlog: GetBacklogResponse, hours: number): string {
  const { pending, retrying, due, oldestDueS, openCircuits, halfOpenCircuits } = backlog;
  const late = due === 0 ? '' : `, the oldest for ${Math.round(oldestDueS)} s`;
  const ended = backlog.ended.map(({ status, reason, count }) => [count, status, reason]);
  const reasons = backlog.reasons.map(({ reason, webhooks }) => [webhooks, reason]);
  return [
    fields({
      'first attempt': pending,
      'another attempt': retrying,
      'due, for us alone': `${due}${late}`,
      'webhooks failing': backlog.failingWebhooks,
      'circuits open': `${openCircuits}, and ${halfOpenCircuits} whose probe is due`,
    }),
    `\nEnded in ${hours} h, other than by success:\n`,
    table(['COUNT', 'STATUS', 'REASON'], ended, 'Nothing.'),
    '\nWebhooks that fail now:\n',
    table(['WEBHOOKS', 'REASON'], reasons, 'None.'),
  ].join('');
}
