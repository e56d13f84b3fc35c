import { isUsableSecret, newSecret } from '@junction/webhook-signing';
import { InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import { followed, type Open } from '../../api/server-sent.js';
import { apiCommand } from '../../api-command.js';
import { commaSeparated, httpUrl, limit } from '../../arguments.js';
import { line, printable } from '../../output.js';
import type { World } from '../../world.js';
import { type Forwarded, forward } from './forward.js';
import { checkKinds, isMatch } from './kinds.js';

interface ListenOptions {
  readonly forward?: string;
  readonly events?: readonly string[];
  readonly secret?: string;
  readonly limit?: number;
}

const received = z.object({
  message_id: z.string(),
  event_type: z.string(),
  received_at: z.string(),
  body: z.string(),
});

export const secretOption = (): Option =>
  new Option('--secret <secret>', 'sign with this one instead of one of this session').argParser(
    (text) => {
      if (isUsableSecret(text)) return text;
      throw new InvalidArgumentError(
        'It must be 1 to 256 bytes; one that begins with whsec_ goes on in base64.',
      );
    },
  );

const NOTE = `
Each event is shown and forwarded in the order in which they come, whether you have a webhook or not. The product
sends what a webhook would get; this command signs it, with a secret that the product never sees. webhook_id in it
has only zeros. An event that is not accepted is not sent again.
`;

/** `junction listen` */
export const command = (world: World) =>
  apiCommand<ListenOptions>(world, {
    name: 'listen',
    about: 'your events as they come, without a public address; forwarded as webhooks are',
    options: [
      ['--forward <url>', 'send each to this receiver', httpUrl],
      ['--events <kinds>', 'kinds to show, such as draft.created,meeting.*', commaSeparated],
      secretOption(),
      ['-n, --limit <count>', 'end after so many', limit],
    ],
    note: NOTE,
    examples: ['listen', 'listen --forward http://localhost:3000/hook --events "meeting.*"'],
    async run(context, _, options) {
      const { api, url, output, json, signal } = context;
      const { forward: target, events = ['*'], secret = newSecret(), limit: count } = options;
      if (options.events) await checkKinds(api, events);
      // A secret from the command line is not printed: its user knows it.
      const shown = target !== undefined && options.secret === undefined ? secret : undefined;
      if (json) output.out(line({ type: 'listening', url, secret: shown }));
      else if (shown !== undefined) output.note(`Signed with a secret of this session: ${shown}`);
      let seen = 0;
      const open: Open = async (init) => api.request('get', '/api/events/stream', init);
      for await (const { data } of followed(open, { signal, output })) {
        const event = received.parse(data);
        if (!events.some((wanted) => isMatch(wanted, event.event_type))) continue;
        const { message_id: messageId, body } = event;
        const answer = target && (await forward(target, { messageId, body }, secret));
        output.out(
          json
            ? line({ type: 'event.received', ...event, ...(answer && { answer }) })
            : eventLine(event, answer || undefined),
        );
        seen++;
        if (seen === count) return;
      }
    },
  });

function eventLine(
  { received_at: at, event_type: kind, message_id: id }: z.infer<typeof received>,
  answer: Forwarded | undefined,
): string {
  const parts = [at, kind.padEnd(16), id, ...(answer ? [answerWords(answer)] : [])];
  return `${printable(parts.join('  '))}\n`;
}

export const answerWords = ({ status, ms, error }: Forwarded): string =>
  status === null ? `not forwarded: ${error ?? ''}` : `${status} in ${ms} ms`;
