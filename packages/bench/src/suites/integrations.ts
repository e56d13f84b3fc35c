import { newUsers } from '../dispatch/events.js';
import { measureEnding } from '../integrations/ending.js';
import { measureRefreshing } from '../integrations/refreshing.js';
import { measureSweeping, type SweepRuns } from '../integrations/sweeping.js';
import { measureVending, type VendingRuns } from '../integrations/vending.js';
import { type World, withWorld } from '../integrations/world.js';
import { type Stack, withStack } from '../own-stack.js';
import { measureParts } from '../parts.js';
import type { BenchRun, Figures, Suite } from '../suite.js';

interface Sizes {
  readonly users: number;
  readonly vending: VendingRuns;
  /** Users who disconnect, and how many tokens are asked for after it. */
  readonly ending: { readonly users: number; readonly vends: number };
  readonly sweep: SweepRuns;
}

const FULL: Sizes = {
  users: 2_000,
  vending: { perS: 500, warmUpSeconds: 5, seconds: 15 },
  ending: { users: 10, vends: 1_000 },
  sweep: { connections: 1_000, ended: 100, overS: 50 },
};

const QUICK: Sizes = {
  users: 40,
  vending: { perS: 50, warmUpSeconds: 1, seconds: 1 },
  ending: { users: 2, vends: 40 },
  sweep: { connections: 10, ended: 2, overS: 1 },
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
  run.say('vending');
  const vended = await measureVending(first, users, vending, run.signal);
  run.say('refreshing what is due');
  const refreshed = await measureRefreshing(world, users);
  run.say('disconnecting at three replicas');
  const replicas = [first, await world.start(), await world.start()];
  const ended = await measureEnding(replicas, users.slice(0, ending.users), ending.vends);
  return { ...vended, ...refreshed, ...ended };
}

/** A provider that can be asked is asked all the time: only where that is what is measured. */
const PARTS: Readonly<
  Record<string, (run: BenchRun, stack: Stack, sizes: Sizes) => Promise<Figures>>
> = {
  tokens: (run, stack, sizes) =>
    withWorld(run, stack, { introspection: false }, (world) => measureTokens(world, sizes)),
  sweep: (run, stack, { sweep }) =>
    withWorld(run, stack, { introspection: true }, (world) => measureSweeping(world, sweep)),
};

export const suite: Suite = {
  what: 'tokens vended, refreshed and taken back, here and at the provider (5 minutes)',
  parts: Object.keys(PARTS),
  budgets: {
    vend_p99_ms: { atMost: 5 },
    vend_per_s: { atLeast: 1_500 },
    tokens_after_delete: { atMost: 0 },
    sweep_s: { atMost: 60 },
  },
  run: (run) =>
    withStack(run, (stack) =>
      measureParts(run, PARTS, (measure) => measure(run, stack, run.quick ? QUICK : FULL)),
    ),
};
