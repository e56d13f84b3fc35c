import { BUDGETS } from '../budgets.js';
import { type DueRetriesRuns, measureDueRetries } from '../dispatch/due-retries.js';
import { measureOnImagesNode } from '../dispatch/images-node.js';
import { type LatencyRuns, measureLatency } from '../dispatch/latency.js';
import { measureRealReceivers, type RealReceiversRuns } from '../dispatch/real-receivers.js';
import { measureRecovery, type RecoveryRuns } from '../dispatch/recovery.js';
import { measureReplicas, type ReplicasRuns } from '../dispatch/replicas.js';
import { measureSteady, type SteadyRuns } from '../dispatch/steady.js';
import { measureHttps, measureThroughput, type ThroughputRuns } from '../dispatch/throughput.js';
import {
  measureUnresponsiveEndpoints,
  type UnresponsiveRuns,
} from '../dispatch/unresponsive-endpoints.js';
import { type World, withWorld } from '../dispatch/world.js';
import { withStack } from '../own-stack.js';
import { type Figures, measureParts, type Suite } from '../suite.js';

interface Sizes {
  readonly throughput: ThroughputRuns;
  readonly realReceivers: RealReceiversRuns;
  readonly latency: LatencyRuns;
  readonly replicas: ReplicasRuns;
  readonly dueRetries: DueRetriesRuns;
  readonly unresponsive: UnresponsiveRuns;
  readonly recovery: RecoveryRuns;
  readonly steady: SteadyRuns;
}

const FULL: Sizes = {
  throughput: { bareRequests: 60_000, warmUpEvents: 4_000, events: 40_000, turns: 3 },
  realReceivers: { deliveries: 60_000, cold: { deliveries: 20_000, users: 10_000 } },
  latency: { users: 1_000, warmUpSeconds: 15, seconds: 15 },
  replicas: { users: 1_000, events: 250_000, warmUpEvents: 10_000, turnSeconds: 10 },
  dueRetries: { webhooks: 1_000, retries: 200_000, warmUpSeconds: 15, seconds: 15 },
  unresponsive: {
    webhooks: 100_000,
    pending: 1_000_000,
    hung: 10_000,
    memorySeconds: 60,
    warmUpSeconds: 15,
    seconds: 15,
  },
  recovery: { awayMs: 5_000 },
  steady: { users: 1_000, watchedMs: 300_000 },
};

const QUICK: Sizes = {
  throughput: { bareRequests: 500, warmUpEvents: 100, events: 500, turns: 1 },
  realReceivers: { deliveries: 500, cold: { deliveries: 500, users: 100 } },
  latency: { users: 50, warmUpSeconds: 1, seconds: 1 },
  replicas: { users: 50, events: 20_000, warmUpEvents: 100, turnSeconds: 1 },
  dueRetries: { webhooks: 10, retries: 2_000, warmUpSeconds: 1, seconds: 1 },
  unresponsive: {
    webhooks: 200,
    pending: 1_000,
    hung: 100,
    memorySeconds: 1,
    warmUpSeconds: 1,
    seconds: 1,
  },
  recovery: { awayMs: 500 },
  steady: { users: 50, watchedMs: 1_000 },
};

const PARTS: Readonly<Record<string, (world: World, sizes: Sizes) => Promise<Figures>>> = {
  throughput: (world, { throughput }) => measureThroughput(world, throughput),
  https: (world, { throughput }) => measureHttps(world, throughput),
  'real-receivers': (world, { realReceivers }) => measureRealReceivers(world, realReceivers),
  latency: (world, { latency }) => measureLatency(world, latency),
  node24: (world, sizes) => measureOnImagesNode(world, sizes),
  replicas: (world, { replicas }) => measureReplicas(world, replicas),
  'due-retries': (world, { dueRetries }) => measureDueRetries(world, dueRetries),
  unresponsive: (world, { unresponsive }) => measureUnresponsiveEndpoints(world, unresponsive),
  recovery: (world, { recovery }) => measureRecovery(world, recovery),
  steady: (world, { steady }) => measureSteady(world, steady),
};

export const suite: Suite = {
  what: 'from Kafka to the receivers of webhooks, beside the least programs that do the same (30 minutes)',
  parts: Object.keys(PARTS),
  budgets: BUDGETS.dispatch,
  run: (run) =>
    withStack(run, (stack, backends) =>
      withWorld(run, stack, backends, (world) =>
        measureParts(run, PARTS, (measure) => measure(world, run.quick ? QUICK : FULL)),
      ),
    ),
};
