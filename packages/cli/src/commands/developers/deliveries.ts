import { Command, Option } from 'commander';
import { limit, moment } from '../../arguments.js';
import { asksApi } from '../../asking-api.js';
import { examples, type World } from '../../world.js';
import { backlogCommand } from '../backlog.js';
import { deliveriesTable, deliveryText } from './delivery-text.js';
import { deliveriesOf, deliveryOf } from './find-deliveries.js';
import { checkKinds } from './kinds.js';
import { resend, showOutcome } from './outcome.js';
import { replayCommand } from './replay.js';
import { tailCommand } from './tail.js';

/** `junction deliveries …` */
export const deliveriesCommand = (world: World): Command =>
  new Command('deliveries')
    .description('look at what was sent to webhooks, and at what came back')
    .addCommand(tailCommand(world))
    .addCommand(listCommand(world))
    .addCommand(showCommand(world))
    .addCommand(resendCommand(world))
    .addCommand(replayCommand(world))
    .addCommand(backlogCommand(world));

interface ListOptions {
  readonly webhook?: string;
  readonly status?: string;
  readonly kind?: string;
  readonly httpStatus?: string;
  readonly message?: string;
  readonly from?: Date;
  readonly to?: Date;
  readonly limit: number;
}

function listCommand(world: World): Command {
  const command = new Command('list')
    .description('deliveries, newest first')
    .option('--webhook <id>', 'webhook to filter by')
    .option('--status <status>', 'status: pending, succeeded, exhausted, refused, held …')
    .option('--kind <kind>', 'kind of event to filter by')
    .option('--http-status <status>', 'HTTP status of the last answer to filter by, such as 500')
    .option('--message <id>', 'event to filter by: msg_…')
    .addOption(new Option('--from <time>', 'only from then on').argParser(moment))
    .addOption(new Option('--to <time>', 'only before then').argParser(moment))
    .addOption(new Option('-n, --limit <count>', 'at most so many').argParser(limit).default(20))
    .addHelpText(
      'after',
      examples('deliveries list --status exhausted', 'deliveries list --kind draft.created --json'),
    );
  return asksApi<ListOptions>(command, world, async ({ api, show }, _, options) => {
    const { webhook, status, kind, httpStatus, message, from, to, limit } = options;
    if (kind !== undefined) await checkKinds(api, [kind]);
    const items = await deliveriesOf(api, limit, {
      ...(webhook !== undefined && { webhook_id: webhook }),
      ...(status !== undefined && { status }),
      ...(kind !== undefined && { kind }),
      ...(httpStatus !== undefined && { http_status: httpStatus }),
      ...(message !== undefined && { message_id: message }),
      ...(from && { from: from.toISOString() }),
      ...(to && { to: to.toISOString() }),
    });
    show({ items }, () => deliveriesTable(items));
  });
}

function showCommand(world: World): Command {
  const command = new Command('show')
    .description('show a delivery: what was sent, and what came back each time')
    .argument('<id>', 'dlv_…')
    .addHelpText('after', examples('deliveries show dlv_0199…'));
  return asksApi(command, world, async ({ api, show }, [id = '']) => {
    show(await deliveryOf(api, id), deliveryText);
  });
}

function resendCommand(world: World): Command {
  const command = new Command('resend')
    .description('send a delivery again, at once if it still waits, and show the answer')
    .argument('<id>', 'dlv_…')
    .addHelpText('after', examples('deliveries resend dlv_0199…'));
  return asksApi(command, world, async (asking, [id = '']) => {
    await showOutcome(asking, await resend(asking.api, id));
  });
}
