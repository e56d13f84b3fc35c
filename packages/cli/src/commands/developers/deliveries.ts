import { apiCommand } from '../../api-command.js';
import { moment, whole } from '../../arguments.js';
import { group, operatorCommand, queryOptions } from '../../verbs.js';
import type { Options, World } from '../../world.js';
import { backlog } from '../backlog.js';
import { deliveriesTable, deliveryText } from './delivery-text.js';
import { deliveriesOf, deliveryOf } from './find-deliveries.js';
import { checkKinds } from './kinds.js';
import { resend, showOutcome } from './outcome.js';
import { replayCommand } from './replay.js';
import { tailCommand } from './tail.js';

const LIMIT_MAX = 1_000;

/** `junction deliveries …` */
export const command = (world: World) =>
  group('deliveries', 'look at what was sent to webhooks, and at what came back', [
    tailCommand(world),
    listCommand(world),
    apiCommand(world, {
      name: 'show',
      about: 'show a delivery: what was sent, and what came back each time',
      args: [['<id>', 'dlv_…']],
      examples: ['deliveries show dlv_0199…'],
      run: async ({ api, show }, [id = '']) => show(await deliveryOf(api, id), deliveryText),
    }),
    apiCommand(world, {
      name: 'resend',
      about: 'send a delivery again, at once if it still waits, and show the answer',
      args: [['<id>', 'dlv_…']],
      examples: ['deliveries resend dlv_0199…'],
      run: async (context, [id = '']) => showOutcome(context, await resend(context.api, id)),
    }),
    replayCommand(world),
    operatorCommand(world, backlog),
  ]);

/** Makes the command that lists deliveries: the parameters of the operation are its options. */
function listCommand(world: World) {
  const { options, queryOf } = queryOptions(
    '/api/deliveries',
    {
      webhook_id: ['--webhook <id>', 'webhook to filter by'],
      status: ['--status <status>', 'status: pending, succeeded, exhausted, refused, held …'],
      event_type: ['--event-type <type>', 'kind of event to filter by'],
      kind: ['--kind <type>', 'the earlier name of --event-type'],
      http_status: [
        '--http-status <status>',
        'HTTP status of the last answer to filter by, such as 500',
      ],
      message_id: ['--message <id>', 'event to filter by: msg_…'],
      from: ['--from <time>', 'only from then on', moment],
      to: ['--to <time>', 'only before then', moment],
      limit: ['-n, --limit <count>', 'at most so many', whole(1, LIMIT_MAX), 20],
    },
    ['cursor', 'format'],
  );
  return apiCommand<Options>(world, {
    name: 'list',
    about: 'deliveries, newest first',
    options,
    examples: [
      'deliveries list --status exhausted',
      'deliveries list --event-type draft.created --json',
    ],
    async run({ api, show }, _, chosen) {
      const { limit, kind, event_type = kind, ...query } = queryOf(chosen);
      const type = event_type as string | undefined;
      if (type !== undefined) await checkKinds(api, [type]);
      const asked = { ...query, ...(type && { event_type: type }) };
      const items = await deliveriesOf(api, Number(limit), asked);
      show({ items }, () => deliveriesTable(items));
    },
  });
}
