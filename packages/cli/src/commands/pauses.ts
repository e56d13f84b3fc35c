import { Option } from 'commander';
import { uuid } from '../arguments.js';
import { type OperatorVerb, operatorGroup, operatorList } from '../verbs.js';
import type { World } from '../world.js';

const change = (name: string, about: string, paused: boolean): OperatorVerb => ({
  name,
  about,
  options: [
    new Option('--host <host>', 'a host, as lists show it').conflicts('user'),
    ['--user <id>', 'a user', uuid],
  ],
  examples: [`pauses ${name} --host hooks.example.org`],
  async write({ ops, show }, _, { host, user }) {
    const what = {
      ...(typeof user === 'string' && { user_id: user }),
      ...(typeof host === 'string' && { host }),
    };
    const body = { ...what, paused };
    const { webhooks } = await ops.post('/api/ops/webhook-dispatcher/pauses', { body });
    show({ ...body, webhooks }, `It is about ${webhooks} webhooks.\n`);
  },
});

/** `junction pauses …` */
export const command = (world: World) =>
  operatorGroup(
    world,
    ['pauses', 'hosts and users to which an operator lets nothing be sent', 'webhooks'],
    [
      operatorList({
        name: 'list',
        about: 'list them, the latest first',
        examples: ['pauses list'],
        path: '/api/ops/webhook-dispatcher/pauses',
        columns: {
          HOST: ({ host }) => host ?? '',
          USER: ({ user_id }) => user_id ?? '',
          SINCE: 'paused_at',
        },
        empty: 'Nothing is paused.',
      }),
      change('add', 'let what goes to a host or a user wait; no attempt is counted', true),
      change('remove', 'have it go on, in order', false),
    ],
  );
