import { availableParallelism } from 'node:os';
import { BUDGETS } from '../budgets.js';
import { type ConnectionRuns, measureConnections } from '../capacity/connections.js';
import { type DeliveryRuns, measureDeliveries } from '../capacity/deliveries.js';
import { measureWebhooks, type WebhookRuns } from '../capacity/webhooks.js';
import { withWorld as withDispatcher } from '../dispatch/world.js';
import { withWorld as withIntegrations } from '../integrations/world.js';
import { type Stack, withStack } from '../own-stack.js';
import { measureParts } from '../parts.js';
import type { Figures, Suite } from '../suite.js';

interface Sizes {
  readonly deliveries: Omit<DeliveryRuns, 'cores'>;
  readonly webhooks: WebhookRuns;
  readonly connections: ConnectionRuns;
}

const FULL: Sizes = {
  deliveries: { events: 80_000, replicas: [1, 2, 4] },
  webhooks: { webhooks: 100_000, idleSeconds: 20, events: 50_000 },
  connections: { users: 2_000 },
};

const QUICK: Sizes = {
  deliveries: { events: 3_000, replicas: [1, 2] },
  webhooks: { webhooks: 1_000, idleSeconds: 1, events: 500 },
  connections: { users: 20 },
};

export const suite: Suite = {
  what: 'what a delivery, an event, a webhook and a connection cost, and what replicas make of it (5 minutes)',
  parts: ['deliveries', 'webhooks', 'connections'],
  budgets: BUDGETS.capacity,
  run: (run) =>
    withStack(run, (stack, backends) => {
      const { deliveries, webhooks, connections } = run.quick ? QUICK : FULL;
      const cores = availableParallelism();
      const parts: Readonly<Record<string, (stack: Stack) => Promise<Figures>>> = {
        deliveries: (at) =>
          withDispatcher(run, at, backends, (world) =>
            measureDeliveries(world, { ...deliveries, cores }),
          ),
        webhooks: (at) =>
          withDispatcher(run, at, backends, (world) => measureWebhooks(world, webhooks)),
        connections: (at) =>
          withIntegrations(run, at, (world) => measureConnections(world, connections)),
      };
      return measureParts(run, parts, (measure) => measure(stack));
    }),
};
