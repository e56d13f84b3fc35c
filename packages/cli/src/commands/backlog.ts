import type { Schemas } from '@junction/client';
import { whole } from '../arguments.js';
import { fields, table } from '../output.js';
import type { OperatorVerb } from '../verbs.js';

const HOURS_MAX = 168;

/** `junction deliveries backlog` */
export const backlog: OperatorVerb = {
  name: 'backlog',
  about: 'backlog for operators: what waits, how late it is, and what failed for good',
  options: [
    ['--hours <count>', 'of what ended otherwise than by success', whole(1, HOURS_MAX), 24],
  ],
  examples: ['deliveries backlog', 'deliveries backlog --hours 1'],
  only: 'webhooks',
  async read({ ops, show }, _, options) {
    const hours = Number(options['hours']);
    const params = { query: { hours } };
    const found = await ops.get('/api/ops/webhook-dispatcher/backlog', { params });
    show(found, text(found, hours));
  },
};

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
