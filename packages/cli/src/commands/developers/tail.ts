import { z } from 'zod';
import { followed, type Open } from '../../api/server-sent.js';
import { apiCommand } from '../../api-command.js';
import { limit } from '../../arguments.js';
import { line, printable } from '../../output.js';
import type { World } from '../../world.js';

interface TailOptions {
  readonly webhook?: string;
  readonly limit?: number;
}

const attempted = z.object({
  delivery_id: z.string(),
  event_type: z.string(),
  attempt: z.number(),
  at: z.string(),
  result: z.string(),
  response_status: z.number().nullable(),
  total_ms: z.number(),
  status: z.string(),
});

/** The stream also tells a page what it should read again. */
const TOLD: ReadonlySet<string> = new Set(['delivery.attempted', 'operation.progressed']);

/** `junction deliveries tail` */
export const tailCommand = (world: World) =>
  apiCommand<TailOptions>(world, {
    name: 'tail',
    about: 'attempts and replays as they happen, until Ctrl-C',
    options: [
      ['--webhook <id>', 'webhook to filter by'],
      ['-n, --limit <count>', 'end after so many', limit],
    ],
    examples: ['deliveries tail', 'deliveries tail --webhook wh_0199… --json'],
    async run({ api, output, json, signal }, _, { webhook, limit: count }) {
      const params = { query: webhook === undefined ? {} : { webhook_id: webhook } };
      const open: Open = async (init) =>
        api.request('get', '/api/webhooks/stream', { params, ...init });
      let shown = 0;
      for await (const { type, data } of followed(open, { signal, output })) {
        if (!TOLD.has(type)) continue;
        output.out(json ? line({ type, ...(data as object) }) : tailLine(type, data));
        shown++;
        if (shown === count) return;
      }
    },
  });

function tailLine(type: string, data: unknown): string {
  const { success, data: one } = attempted.safeParse(data);
  if (!success) return `${type}  ${printable(JSON.stringify(data))}\n`;
  const answered = one.response_status === null ? one.result : String(one.response_status);
  const parts = [
    one.at,
    one.event_type.padEnd(16),
    answered.padEnd(3),
    `${Math.round(one.total_ms)} ms`.padStart(8),
    one.status.padEnd(9),
    `${one.delivery_id} #${one.attempt}`,
  ];
  return `${printable(parts.join('  '))}\n`;
}
