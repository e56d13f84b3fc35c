import { BUDGETS } from '../budgets.js';
import { newUsers } from '../dispatch/events.js';
import { measureRefreshing, type RefreshingRuns } from '../integrations/refreshing.js';
import { measureVending, type VendingRuns } from '../integrations/vending.js';
import { type World, withWorld } from '../integrations/world.js';
import { withStack } from '../own-stack.js';
import { type Figures, measureParts, type Suite } from '../suite.js';

interface Sizes {
  readonly users: number;
  readonly vending: VendingRuns;
  readonly refreshing: RefreshingRuns;
}

const FULL: Sizes = {
  users: 2_000,
  vending: { perS: 500, warmUpSeconds: 5, seconds: 15 },
  refreshing: { refreshes: 10_000, dueWithinS: 60, aloneSeconds: 10 },
};

const QUICK: Sizes = {
  users: 40,
  vending: { perS: 50, warmUpSeconds: 1, seconds: 1 },
  refreshing: { refreshes: 40, dueWithinS: 1, aloneSeconds: 1 },
};

async function measureTokens(world: World, { users: count, vending }: Sizes): Promise<Figures> {
  const { run } = world;
  const users = newUsers(count);
  const first = await world.start();
  run.say(`${count} users connect`);
  await first.connect(users);
  const readRow = await world.startRowServer(users);
  run.say('vending');
  return measureVending(first, readRow, { users, runs: vending }, run.signal);
}

async function measureRefreshes(world: World, { refreshing }: Sizes): Promise<Figures> {
  const users = newUsers(refreshing.refreshes + 1);
  const replica = await world.start();
  world.run.say(`${users.length} users connect`);
  await replica.connect(users);
  return measureRefreshing(world, replica, users, refreshing);
}

const PARTS = { tokens: measureTokens, refreshing: measureRefreshes };

export const suite: Suite = {
  what: 'tokens vended and refreshed (8 minutes)',
  parts: Object.keys(PARTS),
  budgets: BUDGETS.integrations,
  run: (run) =>
    withStack(run, (stack) =>
      measureParts(run, PARTS, (measure) =>
        withWorld(run, stack, (world) => measure(world, run.quick ? QUICK : FULL)),
      ),
    ),
};
