import type { JunctionClient } from '@junction/client';
import { newSecret } from '@junction/webhook-signing';
import { Option } from 'commander';
import { firstOf, type Webhook } from '../../api/answers.js';
import { type ApiVerb, apiCommand } from '../../api-command.js';
import { commaSeparated } from '../../arguments.js';
import { confirmed } from '../../prompt.js';
import { group, operatorCommand } from '../../verbs.js';
import type { World } from '../../world.js';
import { block, unblock } from '../block-webhook.js';
import { failing } from '../failing.js';
import { rotateKeys } from '../webhook-keys.js';
import { checkKinds } from './kinds.js';
import { marksOf } from './strip.js';
import { webhooksTable, webhookText } from './webhook-text.js';

const PAGE_MAX = 200;
/** Limit of the list, more than a user can have. */
const WEBHOOKS_MAX = 1_000;

const STATES: readonly Webhook['state'][] = ['active', 'failing', 'paused', 'disabled'];

/** Reads the webhooks of the user, or those in one state. */
export async function webhooksOf(
  api: JunctionClient,
  filter: Pick<Partial<Webhook>, 'state'> = {},
): Promise<readonly Webhook[]> {
  const query = { limit: PAGE_MAX, ...filter };
  return firstOf(WEBHOOKS_MAX, api.items('/api/webhooks', { params: { query } }));
}

/** `junction webhooks …` */
export const command = (world: World) =>
  group('webhooks', 'endpoints that get events', [
    apiCommand(world, {
      name: 'list',
      about: 'your webhooks',
      options: [new Option('--state <state>', 'those in this state').choices(STATES)],
      examples: ['webhooks list --state failing'],
      async run({ api, show, json }, _args, { state }: { readonly state?: Webhook['state'] }) {
        const items = await webhooksOf(api, state && { state });
        const marks = json ? new Map<string, string>() : await marksOf(api, items);
        show({ items }, () => webhooksTable(items, marks));
      },
    }),
    apiCommand(world, {
      name: 'show',
      about: 'show a webhook',
      args: [['<id>', 'wh_…']],
      async run({ api, show, json }, [id = '']) {
        const webhook = await api.get('/api/webhooks/{id}', { params: { path: { id } } });
        const marks = json ? undefined : (await marksOf(api, [webhook])).get(id);
        show(webhook, () => webhookText(webhook, marks));
      },
    }),
    apiCommand(world, create),
    apiCommand(world, remove),
    apiCommand(world, change('pause', 'let deliveries wait', { paused: true })),
    apiCommand(world, change('resume', 'go on with what waits', { paused: false })),
    apiCommand(world, change('disable', 'send it nothing', { enabled: false })),
    apiCommand(world, change('enable', 'send to it again', { enabled: true })),
    operatorCommand(world, failing),
    operatorCommand(world, block),
    operatorCommand(world, unblock),
    operatorCommand(world, rotateKeys),
  ]);

interface CreateOptions {
  readonly events: readonly string[];
  readonly secret: string | boolean;
  readonly description?: string;
}

const create: ApiVerb<CreateOptions> = {
  name: 'create',
  about: 'create a webhook; its secret is generated, and shown once',
  args: [['<url>', 'URL of your endpoint, https://…']],
  options: [
    new Option('--events <kinds>', 'kinds to send it, with commas between')
      .argParser(commaSeparated)
      .makeOptionMandatory(),
    ['--secret <secret>', 'secret to sign with'],
    ['--no-secret', 'do not sign'],
    ['--description <text>', 'description for people'],
  ],
  examples: ['webhooks create https://example.com/hook --events draft.created,meeting.joined'],
  async run(context, [url = ''], { events, secret: wanted, description }) {
    await checkKinds(context.api, events);
    const made = wanted === true || wanted === undefined ? newSecret() : undefined;
    const secret = made ?? (typeof wanted === 'string' && wanted !== '' ? wanted : undefined);
    const body = {
      url,
      events,
      enabled: true,
      ...(secret !== undefined && { secret }),
      ...(description !== undefined && { description }),
    };
    const webhook = await context.api.post('/api/webhooks', { body });
    context.show({ ...webhook, ...(made !== undefined && { secret: made }) }, webhookText);
    if (made !== undefined && !context.json) {
      context.output.note('Keep the secret: it is shown this once.');
    }
  },
};

const remove: ApiVerb<{ readonly yes?: boolean }> = {
  name: 'delete',
  about: 'delete a webhook; its waiting deliveries are cancelled',
  args: [['<id>', 'wh_…']],
  options: [['--yes', 'do not ask']],
  async run({ api, show, output, world }, [id = ''], { yes }) {
    const params = { path: { id } };
    const webhook = await api.get('/api/webhooks/{id}', { params });
    if (!(await confirmed(world, yes, `Delete ${id}, ${webhook.url}?`))) {
      output.note('Nothing was deleted.');
      return;
    }
    await api.delete('/api/webhooks/{id}', { params });
    show({ webhook_id: id, deleted: true }, () => `${id} is deleted.\n`);
  },
};

const change = (
  name: string,
  about: string,
  body: { readonly paused: boolean } | { readonly enabled: boolean },
): ApiVerb<object> => ({
  name,
  about,
  args: [['<id>', 'wh_…']],
  run: async ({ api, show }, [id = '']) =>
    show(await api.patch('/api/webhooks/{id}', { params: { path: { id } }, body }), webhookText),
});
