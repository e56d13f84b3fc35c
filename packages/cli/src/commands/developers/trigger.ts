import { randomUUID } from 'node:crypto';
import type { JunctionClient } from '@junction/client';
import { newSecret } from '@junction/webhook-signing';
import { Option } from 'commander';
import { type ApiContext, apiCommand } from '../../api-command.js';
import { httpUrl } from '../../arguments.js';
import { Failure, usage } from '../../failure.js';
import type { World } from '../../world.js';
import { forward } from './forward.js';
import { checkKinds, unknownKind } from './kinds.js';
import { answerWords, secretOption } from './listen.js';
import { showOutcome } from './outcome.js';
import { webhooksOf } from './webhooks.js';

interface TriggerOptions {
  readonly webhook?: string;
  readonly forward?: string;
  readonly secret?: string;
}

/** `junction trigger` */
export const command = (world: World) =>
  apiCommand<TriggerOptions>(world, {
    name: 'trigger',
    about: 'send a webhook the example of a kind of event, and show what it answered',
    args: [['<kind>', 'for instance draft.created']],
    options: [
      ['--webhook <id>', 'webhook to send to; may be left out where there is one'],
      new Option('--forward <url>', 'to this receiver instead, sent from here')
        .argParser(httpUrl)
        .conflicts('webhook'),
      secretOption(),
    ],
    examples: [
      'trigger draft.created',
      'trigger meeting.joined --webhook wh_0199…',
      'trigger draft.created --forward http://localhost:3000/hook',
    ],
    async run(context, [kind = ''], options) {
      const { api } = context;
      const { webhook, forward: target, secret } = options;
      if (target !== undefined) {
        await forwardExample(context, { target, kind, secret });
        return;
      }
      await checkKinds(api, [kind]);
      const id = webhook ?? (await onlyWebhook(api));
      const sent = await api.post('/api/webhooks/{id}/test', {
        params: { path: { id } },
        body: { event_type: kind },
      });
      await showOutcome(context, { webhookId: id, deliveryId: sent.delivery_id, before: 0 });
    },
  });

interface Example {
  readonly target: string;
  readonly kind: string;
  readonly secret: string | undefined;
}

/** Sends the event that a webhook would receive to a receiver that the internet cannot reach. */
async function forwardExample(
  context: ApiContext,
  { target, kind, secret }: Example,
): Promise<void> {
  const { api, output, show } = context;
  const { items } = await api.get('/api/webhooks/event-types');
  const type = items.find(({ event_type: one }) => one === kind);
  if (!type) throw unknownKind(kind, items);
  const { user } = await api.get('/api/auth/me');
  const body = JSON.stringify({
    event_type: kind,
    user_id: user.id,
    data: type.example,
    timestamp: new Date().toISOString(),
    webhook_id: 'wh_00000000-0000-0000-0000-000000000000',
  });
  const signedWith = secret ?? newSecret();
  if (secret === undefined) output.note(`Signed with ${signedWith}`);
  const answer = await forward(target, { messageId: `msg_${randomUUID()}`, body }, signedWith);
  show(
    { ...answer, ...(secret === undefined && { secret: signedWith }) },
    () => `${answerWords(answer)}\n`,
  );
  if (answer.status === null || answer.status >= 300)
    throw new Failure('The receiver did not accept the event.');
}

async function onlyWebhook(api: JunctionClient): Promise<string> {
  const [first, ...others] = await webhooksOf(api);
  if (first === undefined) throw usage('There is no webhook yet: junction webhooks create URL');
  if (others.length === 0) return first.webhook_id;
  const ids = [first, ...others].map(({ webhook_id, url }) => `  ${webhook_id}  ${url}`);
  throw usage(`Which one? Name it with --webhook:\n${ids.join('\n')}`);
}
