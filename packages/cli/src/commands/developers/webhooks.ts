import type { JunctionClient } from '@junction/client';
import { newSecret } from '@junction/webhook-signing';
import { Command } from 'commander';
import { firstOf, type Webhook } from '../../api/answers.js';
import { commaSeparated } from '../../arguments.js';
import { asksApi } from '../../asking-api.js';
import { confirmed } from '../../prompt.js';
import { examples, type World } from '../../world.js';
import { failingCommand } from '../failing.js';
import { rotateKeysCommand } from '../webhook-keys.js';
import { checkKinds } from './kinds.js';
import { marksOf } from './strip.js';
import { webhooksTable, webhookText } from './webhook-text.js';

const PAGE_MAX = 200;
/** Limit of the list, more than a user can have. */
const WEBHOOKS_MAX = 1_000;

export const webhooksOf = async (api: JunctionClient): Promise<readonly Webhook[]> =>
  firstOf(WEBHOOKS_MAX, api.items('/api/webhooks', { params: { query: { limit: PAGE_MAX } } }));

/** `junction webhooks …` */
export const webhooksCommand = (world: World): Command =>
  new Command('webhooks')
    .description('endpoints that get events')
    .addCommand(listCommand(world))
    .addCommand(showCommand(world))
    .addCommand(createCommand(world))
    .addCommand(deleteCommand(world))
    .addCommand(changeCommand(world, ['pause', 'let deliveries wait'], { paused: true }))
    .addCommand(changeCommand(world, ['resume', 'go on with what waits'], { paused: false }))
    .addCommand(changeCommand(world, ['disable', 'send it nothing'], { enabled: false }))
    .addCommand(changeCommand(world, ['enable', 'send to it again'], { enabled: true }))
    .addCommand(failingCommand(world))
    .addCommand(rotateKeysCommand(world));

function listCommand(world: World): Command {
  const command = new Command('list').description('your webhooks');
  return asksApi(command, world, async ({ api, show, json }) => {
    const items = await webhooksOf(api);
    const marks = json ? new Map<string, string>() : await marksOf(api, items);
    show({ items }, () => webhooksTable(items, marks));
  });
}

function showCommand(world: World): Command {
  const command = new Command('show').description('show a webhook').argument('<id>', 'wh_…');
  return asksApi(command, world, async ({ api, show, json }, [id = '']) => {
    const webhook = await api.get('/api/webhooks/{id}', { params: { path: { id } } });
    const marks = json ? undefined : (await marksOf(api, [webhook])).get(id);
    show(webhook, () => webhookText(webhook, marks));
  });
}

interface CreateOptions {
  readonly events: readonly string[];
  readonly secret: string | boolean;
  readonly description?: string;
}

function createCommand(world: World): Command {
  const command = new Command('create')
    .description('create a webhook; its secret is generated, and shown once')
    .argument('<url>', 'URL of your endpoint, https://…')
    .requiredOption('--events <kinds>', 'kinds to send it, with commas between', commaSeparated)
    .option('--secret <secret>', 'secret to sign with')
    .option('--no-secret', 'do not sign')
    .option('--description <text>', 'description for people')
    .addHelpText(
      'after',
      examples('webhooks create https://example.com/hook --events draft.created,meeting.joined'),
    );
  return asksApi<CreateOptions>(command, world, async (asking, [url = ''], options) => {
    const { events, secret: wanted, description } = options;
    await checkKinds(asking.api, events);
    const made = wanted === true || wanted === undefined ? newSecret() : undefined;
    const secret = made ?? (typeof wanted === 'string' && wanted !== '' ? wanted : undefined);
    const body = {
      url,
      events,
      enabled: true,
      ...(secret !== undefined && { secret }),
      ...(description !== undefined && { description }),
    };
    const webhook = await asking.api.post('/api/webhooks', { body });
    asking.show({ ...webhook, ...(made !== undefined && { secret: made }) }, webhookText);
    if (made !== undefined && !asking.json) {
      asking.output.note('Keep the secret: it is shown this once.');
    }
  });
}

function deleteCommand(world: World): Command {
  const command = new Command('delete')
    .description('delete a webhook; its waiting deliveries are cancelled')
    .argument('<id>', 'wh_…')
    .option('--yes', 'do not ask');
  return asksApi<{ yes?: boolean }>(
    command,
    world,
    async ({ api, show, output }, [id = ''], { yes }) => {
      const params = { path: { id } };
      const webhook = await api.get('/api/webhooks/{id}', { params });
      if (!(await confirmed(world, yes, `Delete ${id}, ${webhook.url}?`))) {
        output.note('Nothing was deleted.');
        return;
      }
      await api.delete('/api/webhooks/{id}', { params });
      show({ webhook_id: id, deleted: true }, () => `${id} is deleted.\n`);
    },
  );
}

function changeCommand(
  world: World,
  [name, description]: readonly [string, string],
  body: { readonly paused: boolean } | { readonly enabled: boolean },
): Command {
  const command = new Command(name).description(description).argument('<id>', 'wh_…');
  return asksApi(command, world, async ({ api, show }, [id = '']) => {
    const changed = await api.patch('/api/webhooks/{id}', { params: { path: { id } }, body });
    show(changed, webhookText);
  });
}
