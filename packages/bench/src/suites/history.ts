import { withWorld } from '../dispatch/world.js';
import { QUESTIONS } from '../history/questions.js';
import { measureReading, type ReadingRuns } from '../history/reading.js';
import { withStack } from '../own-stack.js';
import type { Suite } from '../suite.js';

const FULL: ReadingRuns = {
  days: 30,
  perDay: 133_600,
  webhooks: 1_000,
  busy: 10,
  asked: 200,
  warmUp: 20,
};
const QUICK: ReadingRuns = { days: 30, perDay: 270, webhooks: 20, busy: 2, asked: 10, warmUp: 2 };

export const suite: Suite = {
  what: 'what users read of their deliveries beside ten million attempts (10 minutes)',
  budgets: {
    sequential_scans: { atMost: 0 },
    ...Object.fromEntries(Object.keys(QUESTIONS).map((name) => [`${name}_p99_ms`, { atMost: 50 }])),
  },
  run: (run) =>
    withStack(run, (stack, backends) =>
      withWorld(run, stack, backends, (world) => measureReading(world, run.quick ? QUICK : FULL)),
    ),
};
