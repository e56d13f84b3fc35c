import { certificateAuthority } from '@junction/testing';
import { BUDGETS } from '../budgets.js';
import { withClosing } from '../closing.js';
import { measureBacklog } from '../dispatch/backlog.js';
import { measureKeptHistory } from '../dispatch/kept-history.js';
import { startReceiver } from '../dispatch/receiver.js';
import { measureReplay } from '../dispatch/replay.js';
import { type World, withWorld } from '../dispatch/world.js';
import { withStack } from '../own-stack.js';
import { type Figures, measureParts, type Suite } from '../suite.js';
import { measureCosts } from '../year/costs.js';
import { measureFairness } from '../year/fairness.js';
import { makeYear, scaled, type Year } from '../year/state.js';

const ENDS_WITHIN_MS = 45 * 60_000;
const QUICK_SCALE = 0.01;
/** Seconds of a look at others, in which a hundredth is some of their deliveries and not the slowest one. */
const SECONDS_MIN = 6;

const DELIVERIES = 20_000;
const DELIVERIES_MIN = 500;

interface Measured {
  readonly world: World;
  readonly year: Year;
  readonly scale: number;
  readonly deliveries: number;
}

/** Parts, the last of which leaves nothing that waits. */
const PARTS: Readonly<Record<string, (measured: Measured) => Promise<Figures>>> = {
  fairness: ({ world, year, scale }) =>
    measureFairness(world, year, {
      warmUpSeconds: scaled(10, scale),
      seconds: scaled(10, scale, SECONDS_MIN),
      published: scaled(500, scale, 20),
    }),
  costs: ({ world, year }) => measureCosts(world, year),
  'kept-history': ({ world, deliveries }) => measureKeptHistory(world, deliveries),
  replay: ({ world, deliveries }) => measureReplay(world, deliveries),
  async backlog({ world, scale, deliveries }) {
    await world.pool.query('truncate pending, webhook_due');
    const webhooks = [scaled(5_000, scale), scaled(50_000, scale)] as const;
    return measureBacklog(world, { deliveries, pending: scaled(1_000_000, scale), webhooks });
  },
};

const measureYear = (world: World): Promise<Figures> =>
  withClosing(async (open) => {
    const { run } = world;
    const { quick, scale = quick ? QUICK_SCALE : 1 } = run;
    const authority = await certificateAuthority();
    open(() => authority.close());
    const greedyReceiver = await startReceiver(authority, run.signal);
    open(() => greedyReceiver.close());
    const year = await makeYear(world, greedyReceiver, scale);
    const deliveries = scaled(DELIVERIES, scale, DELIVERIES_MIN);
    return measureParts(run, PARTS, (measure) => measure({ world, year, scale, deliveries }));
  });

export const suite: Suite = {
  what: 'beside seven days of five million deliveries, and one user who asks for much (half an hour)',
  parts: Object.keys(PARTS),
  budgets: BUDGETS.year,
  run: (asked) => {
    const signal = AbortSignal.any([asked.signal, AbortSignal.timeout(ENDS_WITHIN_MS)]);
    const run = { ...asked, signal };
    return withStack(run, (stack, backends) => withWorld(run, stack, backends, measureYear));
  },
};
