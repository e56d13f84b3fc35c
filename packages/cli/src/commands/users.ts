import type { Schemas } from '@junction/client';
import { z } from 'zod';
import { whole } from '../arguments.js';
import { usage } from '../failure.js';
import { fields } from '../output.js';
import { type OperatorVerb, operatorGroup, operatorList } from '../verbs.js';
import type { World } from '../world.js';
import { followOperation } from './follow-operation.js';
import { USER, userIdOf } from './user-named.js';

const LIMIT_MAX = 10_000;

/** `junction users …` */
export const command = (world: World) =>
  operatorGroup(
    world,
    ['users', 'accounts, of our own and of trusted issuers; no address in full', 'auth'],
    [list, show, signOut, removeFactors, remove],
  );

const list = operatorList({
  name: 'list',
  about: 'accounts, newest first',
  examples: ['users list', 'users list -n 1000 --json'],
  path: '/api/ops/auth/users',
  words: {
    limit: ['-n, --limit <count>', 'at most so many', whole(1, LIMIT_MAX), 100],
    email: ['--email <address>', 'only of this address, to the letter'],
  },
  pageMax: 100,
  columns: {
    USER: 'id',
    SINCE: 'created_at',
    ORIGIN: 'origin',
    'E-MAIL': 'masked_email',
    ROLE: 'role',
  },
  empty: 'There are no users.',
  json: (user) => view(user),
});

const show: OperatorVerb = {
  name: 'show',
  about: 'an account, and how many sessions and API keys it has',
  args: [USER],
  examples: ['users show ada@example.com'],
  async read(context, [named = '']) {
    const params = { path: { id: await userIdOf(context, named) } };
    const found = await context.ops.get('/api/ops/auth/users/{id}', { params });
    const { counts, ...user } = found.user;
    const shown = { ...view(user), ...counts };
    const text = fields({
      user: shown.user_id,
      since: shown.created_at,
      origin: shown.origin,
      'e-mail': shown.masked_email,
      verified: shown.email_verified ? 'yes' : 'no',
      role: shown.role,
      closed: shown.closed_at ?? 'no',
      sessions: shown.sessions,
      'API keys': shown.api_keys,
    });
    context.show(shown, text);
  },
};

const remove: OperatorVerb = {
  name: 'delete',
  about: 'delete an account with all that every service holds of it; nothing brings it back',
  args: [USER],
  examples: ['users delete ada@example.com'],
  async write(context, [named = '']) {
    const id = await userIdOf(context, named);
    const params = { path: { id } };
    const { receipt_id } = await context.ops.delete('/api/ops/auth/users/{id}', { params });
    context.show({ user_id: id, receipt_id }, `${id} is deleted. Receipt: ${receipt_id}\n`);
  },
};

const signOut: OperatorVerb = {
  name: 'sign-out',
  about: 'end the sessions of a user, or of everybody, on all replicas within a second',
  args: [['[user]', 'a user id or an e-mail address']],
  options: [
    ['--everybody', 'every user: after a restore, or when much has leaked'],
    ['--api-keys', 'end API keys too'],
  ],
  examples: ['users sign-out ada@example.com', 'users sign-out --everybody --api-keys'],
  async write(context, [named = ''], options) {
    const everybody = options['everybody'] === true;
    if (everybody === (named !== '')) throw usage('Name a user, or say --everybody.');
    const { ops, json, output } = context;
    const whom = everybody
      ? { everybody: true as const }
      : { user_id: await userIdOf(context, named) };
    const body = { ...whom, api_keys: options['apiKeys'] === true };
    const last = await followOperation(
      context,
      async (init) => ops.request('post', '/api/ops/auth/sign-outs', { body, ...init }),
      signedOut,
      { title: 'Signing out …', line: inWords },
    );
    if (!json) output.out(`${inWords(last)}\n`);
  },
};

const removeFactors: OperatorVerb = {
  name: 'remove-factors',
  about:
    'remove every second factor of a user who has lost them, and end the sessions; make sure who asks',
  args: [USER],
  examples: ['users remove-factors ada@example.com'],
  async write(context, [named = '']) {
    const id = await userIdOf(context, named);
    const { factors, sessions } = await context.ops.post(
      '/api/ops/auth/users/{id}/remove-factors',
      {
        params: { path: { id } },
        body: {},
      },
    );
    context.show(
      { user_id: id, factors, sessions },
      `Second factors removed: ${factors}. Sessions ended: ${sessions}.\n`,
    );
  },
};

const signedOut = z.object({
  phase: z.string(),
  users: z.number(),
  sessions: z.number(),
  api_keys: z.number(),
});

const inWords = ({ users, sessions, api_keys: apiKeys }: z.infer<typeof signedOut>): string =>
  `Users: ${users}. Sessions ended: ${sessions}. API keys ended: ${apiKeys}.`;

const view = ({ id, masked_email, ...user }: Schemas['ListedUser']) => ({
  user_id: id,
  ...user,
  masked_email: masked_email ?? '',
});
