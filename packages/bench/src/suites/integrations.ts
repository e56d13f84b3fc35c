import { BUDGETS } from '../budgets.js';
import { newUsers } from '../dispatch/events.js';
import { measureEnding } from '../integrations/ending.js';
import { measureVending, type VendingRuns } from '../integrations/vending.js';
import { type World, withWorld } from '../integrations/world.js';
import { withStack } from '../own-stack.js';
import type { Figures, Suite } from '../suite.js';

interface Sizes {
  readonly users: number;
  readonly vending: VendingRuns;
  /** Users who disconnect, and how many tokens are asked for after it. */
  readonly ending: { readonly users: number; readonly vends: number };
}

const FULL: Sizes = {
  users: 2_000,
  vending: { perS: 500, warmUpSeconds: 5, seconds: 15 },
  ending: { users: 10, vends: 1_000 },
};

const QUICK: Sizes = {
  users: 40,
  vending: { perS: 50, warmUpSeconds: 1, seconds: 1 },
  ending: { users: 2, vends: 40 },
};

async function measureTokens(
  world: World,
  { users: count, vending, ending }: Sizes,
): Promise<Figures> {
  const { run } = world;
  const users = newUsers(count);
  const first = await world.start();
  run.say(`${count} users connect`);
  await first.connect(users);
  const readRow = await world.startRowServer(users);
  run.say('vending');
  const vended = await measureVending(first, readRow, { users, runs: vending }, run.signal);
  run.say('disconnecting at three replicas');
  const replicas = [first, await world.start(), await world.start()];
  const ended = await measureEnding(replicas, users.slice(0, ending.users), ending.vends);
  return { ...vended, ...ended };
}

export const suite: Suite = {
  what: 'tokens vended, and refused after a disconnect (2 minutes)',
  budgets: BUDGETS.integrations,
  run: (run) =>
    withStack(run, (stack) =>
      withWorld(run, stack, (world) => measureTokens(world, run.quick ? QUICK : FULL)),
    ),
};
