import type { Schemas } from '@junction/client';
import { Command, Option } from 'commander';
import { z } from 'zod';
import { firstOf } from '../api/answers.js';
import { dataOf, type Open } from '../api/server-sent.js';
import { whole } from '../arguments.js';
import { usage } from '../failure.js';
import { fields } from '../output.js';
import { asksAuth, examples, type World } from '../world.js';
import { followOperation } from './follow-operation.js';
import { progressDisplay } from './progress-display.js';
import { userIdOf } from './user-named.js';

const PAGE_MAX = 100;
const LIMIT_MAX = 10_000;

/** `junction users …` */
export const usersCommand = (world: World): Command =>
  new Command('users')
    .description('accounts, of our own and of trusted issuers; no address in full')
    .addCommand(list(world))
    .addCommand(show(world))
    .addCommand(signOut(world))
    .addCommand(removeFactors(world))
    .addCommand(remove(world));

function list(world: World): Command {
  const command = new Command('list')
    .description('accounts, newest first')
    .addOption(
      new Option('-n, --limit <count>', 'at most so many')
        .argParser(whole(1, LIMIT_MAX))
        .default(100),
    )
    .addHelpText('after', examples('users list', 'users list -n 1000 --json'));
  return asksAuth(command, world, 'read', async ({ ops, list }, _args, options) => {
    const count = Number(options['limit']);
    const params = { query: { limit: Math.min(PAGE_MAX, count) } };
    const found = await firstOf(count, ops.items('/api/ops/auth/users', { params }));
    list(found, {
      titles: ['USER', 'SINCE', 'ORIGIN', 'E-MAIL', 'ROLE'],
      row: (user) => [user.id, user.created_at, user.origin, user.masked_email ?? '', user.role],
      empty: 'There are no users.',
      json: view,
    });
  });
}

function show(world: World): Command {
  const command = new Command('show')
    .argument('<user>', 'a user id or an e-mail address')
    .description('an account, and how many sessions and API keys it has')
    .addHelpText('after', examples('users show ada@example.com'));
  return asksAuth(command, world, 'read', async (asking, [named = '']) => {
    const params = { path: { id: await userIdOf(asking, named) } };
    const { user } = await asking.ops.get('/api/ops/auth/users/{id}', { params });
    const shown = { ...view(user), ...user.counts };
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
    asking.show(shown, text);
  });
}

function remove(world: World): Command {
  const command = new Command('delete')
    .argument('<user>', 'a user id or an e-mail address')
    .description(
      'delete an account with all that every service holds of it; nothing brings it back',
    )
    .addHelpText('after', examples('users delete ada@example.com'));
  return asksAuth(command, world, 'write', async (asking, [user = '']) => {
    const id = await userIdOf(asking, user);
    const { receipt_id } = await asking.ops.delete('/api/ops/auth/users/{id}', {
      params: { path: { id } },
    });
    asking.show({ user_id: id, receipt_id }, `${id} is deleted. Receipt: ${receipt_id}\n`);
  });
}

function signOut(world: World): Command {
  const command = new Command('sign-out')
    .argument('[user]', 'a user id or an e-mail address')
    .option('--everybody', 'every user: after a restore, or when much has leaked')
    .option('--api-keys', 'end API keys too')
    .description('end the sessions of a user, or of everybody, on all replicas within a second')
    .addHelpText(
      'after',
      examples('users sign-out ada@example.com', 'users sign-out --everybody --api-keys'),
    );
  return asksAuth(command, world, 'write', async (asking, [user = ''], options) => {
    const everybody = options['everybody'] === true;
    if (everybody === (user !== '')) throw usage('Name a user, or say --everybody.');
    const { ops, json, output, signal } = asking;
    const whom = everybody
      ? { everybody: true as const }
      : { user_id: await userIdOf(asking, user) };
    const body = { ...whom, api_keys: options['apiKeys'] === true };
    const shown = progressDisplay(asking, { title: 'Signing out …', line: inWords });
    const open: Open = async (init) =>
      ops.request('post', '/api/ops/auth/sign-outs', { body, ...init });
    const call = () => dataOf(open, signedOut, signal);
    const last = await followOperation(asking, call, shown.tell).finally(shown.end);
    if (!json) output.out(`${inWords(last)}\n`);
  });
}

function removeFactors(world: World): Command {
  const command = new Command('remove-factors')
    .argument('<user>', 'a user id or an e-mail address')
    .description(
      'remove every second factor of a user who has lost them, and end the sessions; make sure who asks',
    )
    .addHelpText('after', examples('users remove-factors ada@example.com'));
  return asksAuth(command, world, 'write', async (asking, [user = '']) => {
    const id = await userIdOf(asking, user);
    const { factors, sessions } = await asking.ops.post('/api/ops/auth/users/{id}/remove-factors', {
      params: { path: { id } },
      body: {},
    });
    asking.show(
      { user_id: id, factors, sessions },
      `Second factors removed: ${factors}. Sessions ended: ${sessions}.\n`,
    );
  });
}

const signedOut = z.object({
  phase: z.string(),
  users: z.number(),
  sessions: z.number(),
  api_keys: z.number(),
});

const inWords = ({ users, sessions, api_keys: apiKeys }: z.infer<typeof signedOut>): string =>
  `Users: ${users}. Sessions ended: ${sessions}. API keys ended: ${apiKeys}.`;

const view = ({
  id,
  created_at,
  masked_email,
  email_verified,
  ...user
}: Schemas['ListedUser']) => ({
  user_id: id,
  created_at,
  origin: user.origin,
  masked_email: masked_email ?? '',
  email_verified,
  role: user.role,
  closed_at: user.closed_at,
});
