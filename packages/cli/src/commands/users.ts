import {
  AuthAdminServiceService,
  type ListedUser,
  type SignOutUsersResponse,
} from '@junction/contracts';
import { Command, Option } from 'commander';
import { whole } from '../arguments.js';
import { usage } from '../failure.js';
import { line, table } from '../output.js';
import { asksAuth, examples, type World } from '../world.js';
import { telling } from './telling.js';
import { toTheEnd } from './to-the-end.js';

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
    .description('newest first')
    .addOption(
      new Option('-n, --limit <count>', 'at most so many')
        .argParser(whole(1, LIMIT_MAX))
        .default(100),
    )
    .addHelpText('after', examples('users list', 'users list -n 1000 --json'));
  return asksAuth(command, world, 'read', async ({ ops, json, output }, _args, options) => {
    const wanted = Number(options['limit']);
    const found: ListedUser[] = [];
    let after = '';
    do {
      const limit = Math.min(PAGE_MAX, wanted - found.length);
      const request = { email: '', limit, after };
      const page = await ops.call(AuthAdminServiceService.listUsers, request);
      found.push(...page.users);
      after = page.next;
    } while (after !== '' && found.length < wanted);
    if (json) {
      for (const user of found) output.out(line(view(user)));
      return;
    }
    const rows = found.map((user) => [
      user.userId,
      user.createdAt?.toISOString() ?? '',
      user.origin,
      user.maskedEmail,
      user.role,
    ]);
    output.out(table(['USER', 'SINCE', 'ORIGIN', 'E-MAIL', 'ROLE'], rows, 'There are no users.'));
  });
}

function show(world: World): Command {
  const command = new Command('show')
    .argument('<user>', 'a user id or an e-mail address')
    .description('an account, and how many sessions and API keys it has')
    .addHelpText('after', examples('users show ada@example.com'));
  return asksAuth(command, world, 'read', async ({ ops, json, output }, [user = '']) => {
    const found = await ops.call(AuthAdminServiceService.getUser, { user });
    const shown = {
      ...(found.user && view(found.user)),
      sessions: found.sessions,
      api_keys: found.apiKeys,
    };
    if (json) {
      output.out(line(shown));
      return;
    }
    for (const [name, value] of Object.entries(shown)) output.out(`${name}: ${String(value)}\n`);
  });
}

function remove(world: World): Command {
  const command = new Command('delete')
    .argument('<user>', 'a user id or an e-mail address')
    .description(
      'delete an account with all that every service holds of it; nothing brings it back',
    )
    .addHelpText('after', examples('users delete ada@example.com'));
  return asksAuth(command, world, 'write', async ({ ops, json, output }, [user = '']) => {
    const { userId, receiptId } = await ops.call(AuthAdminServiceService.deleteUser, { user });
    output.out(
      json
        ? line({ user_id: userId, receipt_id: receiptId })
        : `${userId} is deleted. Receipt: ${receiptId}\n`,
    );
  });
}

function signOut(world: World): Command {
  const command = new Command('sign-out')
    .argument('[user]', 'a user id or an e-mail address')
    .option('--everybody', 'after a restore, or when much has leaked')
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
    const request = { user, everybody, apiKeys: options['apiKeys'] === true };
    const shown = telling(asking, { title: 'Signing out …', line: inWords });
    const call = () => ops.stream(AuthAdminServiceService.signOutUsers, request, signal);
    const last = await toTheEnd(asking, call, shown.tell).finally(shown.end);
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
  return asksAuth(command, world, 'write', async ({ ops, json, output }, [user = '']) => {
    const removed = await ops.call(AuthAdminServiceService.removeFactors, { user });
    const { userId, factors, sessions } = removed;
    output.out(
      json
        ? line({ user_id: userId, factors, sessions })
        : `Second factors removed: ${factors}. Sessions ended: ${sessions}.\n`,
    );
  });
}

const inWords = ({ users, sessions, apiKeys }: SignOutUsersResponse): string =>
  `Users: ${users}. Sessions ended: ${sessions}. API keys ended: ${apiKeys}.`;

const view = ({ userId, createdAt, maskedEmail, emailVerified, ...user }: ListedUser) => ({
  user_id: userId,
  created_at: createdAt?.toISOString(),
  origin: user.origin,
  masked_email: maskedEmail,
  email_verified: emailVerified,
  role: user.role,
});
