import { type CrowdRuns, measureCrowd } from '../dispatch/crowd.js';
import { measureNeighbours, type NeighbourRuns } from '../dispatch/neighbours.js';
import { measureRecovery, type RecoveryRuns } from '../dispatch/recovery.js';
import { measureSteady, type SteadyRuns } from '../dispatch/steady.js';
import { measureThroughput, type ThroughputRuns } from '../dispatch/throughput.js';
import { measureVariations, type VariationRuns } from '../dispatch/variations.js';
import { type World, withWorld } from '../dispatch/world.js';
import { withStack } from '../own-stack.js';
import { measureParts } from '../parts.js';
import type { Figures, Suite } from '../suite.js';

interface Sizes {
  readonly throughput: ThroughputRuns;
  readonly variations: VariationRuns;
  readonly neighbours: NeighbourRuns;
  readonly crowd: CrowdRuns;
  readonly recovery: RecoveryRuns;
  readonly steady: SteadyRuns;
}

const FULL: Sizes = {
  throughput: { bareRequests: 60_000, warmUpEvents: 4_000, events: 40_000 },
  variations: { deliveries: 20_000, webhooks: 1_000, backlog: 1_000_000 },
  neighbours: { warmUpSeconds: 15, seconds: 15 },
  crowd: {
    webhooks: 100_000,
    pending: 1_000_000,
    hung: 10_000,
    memorySeconds: 60,
    warmUpSeconds: 15,
    seconds: 15,
  },
  recovery: { awayMs: 5_000 },
  steady: { users: 1_000, warmUpSeconds: 15, seconds: 15, watchedMs: 300_000 },
};

const QUICK: Sizes = {
  throughput: { bareRequests: 500, warmUpEvents: 100, events: 500 },
  variations: { deliveries: 500, webhooks: 100, backlog: 1_000 },
  neighbours: { warmUpSeconds: 1, seconds: 1 },
  crowd: {
    webhooks: 200,
    pending: 1_000,
    hung: 100,
    memorySeconds: 1,
    warmUpSeconds: 1,
    seconds: 1,
  },
  recovery: { awayMs: 500 },
  steady: { users: 50, warmUpSeconds: 1, seconds: 1, watchedMs: 1_000 },
};

const PARTS: Readonly<Record<string, (world: World, sizes: Sizes) => Promise<Figures>>> = {
  throughput: (world, { throughput }) => measureThroughput(world, throughput),
  variations: (world, { variations }) => measureVariations(world, variations),
  neighbours: (world, { neighbours }) => measureNeighbours(world, neighbours),
  crowd: (world, { crowd }) => measureCrowd(world, crowd),
  recovery: (world, { recovery }) => measureRecovery(world, recovery),
  steady: (world, { steady }) => measureSteady(world, steady),
};

export const suite: Suite = {
  what: 'from Kafka to the receivers of webhooks, beside a bare loop (14 minutes)',
  parts: Object.keys(PARTS),
  budgets: {
    ratio: { atLeast: 1 / 3 },
    cpu_s_per_10k: { atMost: 1 },
    sql_per_delivery: { atMost: 0.05 },
    bytes_per_delivery: { atMost: 1_536 },
    backlog_ratio: { atLeast: 0.9 },
    hung_neighbour_p50_ratio: { atMost: 1.2 },
    hung_neighbour_of_granted: { atMost: 1 },
    rss_crowd_mb: { atMost: 250 },
    hung_crowd_p50_ratio: { atMost: 1.2 },
    hung_crowd_of_granted: { atMost: 1 },
    recovery_kafka_s: { atMost: 15 },
    recovery_postgres_s: { atMost: 3 },
    takeover_s: { atMost: 10 },
    p50_200_ms: { atMost: 3 },
    p99_200_ms: { atMost: 12 },
    p50_1000_ms: { atMost: 4 },
    p99_1000_ms: { atMost: 20 },
    rss_mb: { atMost: 160 },
    rss_slope_mb_per_min: { atMost: 1 },
  },
  run: (run) =>
    withStack(run, (stack, backends) =>
      withWorld(run, stack, backends, (world) =>
        measureParts(run, PARTS, (measure) => measure(world, run.quick ? QUICK : FULL)),
      ),
    ),
};
