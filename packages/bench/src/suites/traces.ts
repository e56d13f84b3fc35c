import { BUDGETS, onNode24 } from '../budgets.js';
import { imagesNode } from '../dispatch/images-node.js';
import { measureTraces, type TracesRuns } from '../dispatch/traces.js';
import { withWorld } from '../dispatch/world.js';
import { withStack } from '../own-stack.js';
import type { Suite } from '../suite.js';

const FULL: TracesRuns = { rounds: 5, warmUpEvents: 4_000, events: 40_000 };
const QUICK: TracesRuns = { rounds: 1, warmUpEvents: 100, events: 500 };

export const suite: Suite = {
  what: 'deliveries with one trace in a hundred recorded, beside none (5 minutes)',
  budgets: BUDGETS.traces,
  run: (run) =>
    withStack(run, (stack, backends) =>
      withWorld(run, stack, backends, async (world) => {
        const runs = run.quick ? QUICK : FULL;
        const node = await imagesNode(run);
        return {
          ...(await measureTraces(world, runs)),
          ...onNode24(await measureTraces({ ...world, node }, runs)),
        };
      }),
    ),
};
