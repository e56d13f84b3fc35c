import { Option } from 'commander';
import { present } from '../output.js';
import { type OperatorVerb, operatorList } from '../verbs.js';
import { strip } from './developers/strip.js';

const empty = 'No webhook fails.';

const byWebhook = operatorList({
  name: 'failing',
  about: 'for operators: whose last attempt failed, those first that have failed for longest',
  examples: ['webhooks failing', 'webhooks failing --by-user -n 20'],
  only: 'webhooks',
  path: '/api/ops/webhook-dispatcher/failing-webhooks',
  columns: {
    WEBHOOK: 'webhook_id',
    USER: 'user_id',
    HOST: 'host',
    REASON: 'reason',
    SINCE: 'failing_since',
    WAITING: 'waiting',
    STATE: ({ state, probe_at }) => (probe_at === null ? state : `${state}, resting`),
    'LAST 90 ATTEMPTS': ({ marks }) => strip(marks ?? ''),
  },
  empty,
  json: present,
});

const byUser = operatorList({
  name: 'failing',
  about: '',
  path: '/api/ops/webhook-dispatcher/failing-users',
  columns: { USER: 'user_id', FAILING: 'failing', OF: 'webhooks', SINCE: 'failing_since' },
  empty,
});

/** `junction webhooks failing` */
export const failing: OperatorVerb = {
  ...byWebhook,
  options: [
    new Option('--by-user', 'users, by how many of their webhooks fail').conflicts('user'),
    ...(byWebhook.options ?? []),
  ],
  async read(context, args, options) {
    await (options['byUser'] === true ? byUser : byWebhook).read?.(context, args, options);
  },
};
