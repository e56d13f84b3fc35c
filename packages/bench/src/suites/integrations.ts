import { BUDGETS } from '../budgets.js';
import { newUsers } from '../dispatch/events.js';
import { type LoginRuns, measureLogin } from '../integrations/login.js';
import { measureRefreshing, type RefreshingRuns } from '../integrations/refreshing.js';
import { measureVending, type VendingRuns } from '../integrations/vending.js';
import { type World, withWorld } from '../integrations/world.js';
import { type Stack, withStack } from '../own-stack.js';
import { type BenchRun, type Figures, measureParts, type Suite } from '../suite.js';

interface Sizes {
  readonly users: number;
  readonly vending: VendingRuns;
  readonly refreshing: RefreshingRuns;
  readonly login: LoginRuns;
}

const FULL: Sizes = {
  users: 2_000,
  vending: { perS: 500, warmUpSeconds: 5, seconds: 15 },
  refreshing: { refreshes: 10_000, dueWithinS: 60, aloneSeconds: 10, vendSeconds: 10 },
  login: { turns: 5, logins: 90 },
};

const QUICK: Sizes = {
  users: 40,
  vending: { perS: 50, warmUpSeconds: 1, seconds: 1 },
  refreshing: { refreshes: 40, dueWithinS: 1, aloneSeconds: 1, vendSeconds: 1 },
  login: { turns: 1, logins: 2 },
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

const inWorld =
  (measure: (world: World, sizes: Sizes) => Promise<Figures>) =>
  (run: BenchRun, stack: Stack, sizes: Sizes) =>
    withWorld(run, stack, (world) => measure(world, sizes));

const PARTS = {
  tokens: inWorld(measureTokens),
  refreshing: inWorld((world, { refreshing }) => measureRefreshing(world, refreshing)),
  login: (run: BenchRun, stack: Stack, { login }: Sizes) => measureLogin(run, stack, login),
};

export const suite: Suite = {
  what: 'tokens vended and refreshed, and logins (9 minutes)',
  parts: Object.keys(PARTS),
  budgets: BUDGETS.integrations,
  run: (run) =>
    withStack(run, (stack) =>
      measureParts(run, PARTS, (measure) => measure(run, stack, run.quick ? QUICK : FULL)),
    ),
};
