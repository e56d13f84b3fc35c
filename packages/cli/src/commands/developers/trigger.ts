import { Command } from 'commander';
import type { Api } from '../../api/api.js';
import { asksApi } from '../../asking-api.js';
import { usage } from '../../failure.js';
import { examples, type World } from '../../world.js';
import { showOutcome } from './outcome.js';
import { webhookPath, webhooksOf } from './webhooks.js';

interface SentTest {
  readonly delivery_id: string;
}

/** `junction trigger` */
export function triggerCommand(world: World): Command {
  const command = new Command('trigger')
    .description('send a webhook the example of a kind of event, and show what it answered')
    .argument('<kind>', 'for instance draft.created')
    .option('--webhook <id>', 'which; may be left out where there is one')
    .addHelpText(
      'after',
      examples('trigger draft.created', 'trigger meeting.joined --webhook wh_0199…'),
    );
  return asksApi<{ webhook?: string }>(command, world, async (asking, [kind], { webhook }) => {
    const { api } = asking;
    const id = webhook ?? (await onlyWebhook(api));
    const body = { kind };
    const sent = await api.call<SentTest>('POST', `${webhookPath(id)}/test`, { body });
    await showOutcome(asking, id, sent.delivery_id);
  });
}

async function onlyWebhook(api: Api): Promise<string> {
  const [first, ...others] = await webhooksOf(api);
  if (first === undefined) throw usage('There is no webhook yet: junction webhooks create URL');
  if (others.length === 0) return first.webhook_id;
  const ids = [first, ...others].map(({ webhook_id, url }) => `  ${webhook_id}  ${url}`);
  throw usage(`Which one? Name it with --webhook:\n${ids.join('\n')}`);
}
