import { actorOf } from '@junction/operations';
import { mount } from '@junction/service/http';
import type { Router } from 'express';
import { z } from 'zod';
import { shardOwners } from '../../postgres/operators/shard-reads.js';
import type { OperatorRoutesOptions } from './operator-options.js';

const owner = z
  .object({
    owner: z.string().describe('host/process/run'),
    shards: z.array(z.int()).readonly(),
    lease_left_s: z
      .number()
      .describe('Seconds for which its shards are still its own; below 0: others may take them.'),
    alive: z.boolean(),
    partitions: z
      .array(z.int())
      .readonly()
      .describe('Partitions of assistant.events.v1 that the replica consumes.'),
  })
  .meta({ id: 'ShardOwner' });

/** Adds the route that shows which replica sends for which users. */
export function addShards(tools: Router, { pool, journal }: OperatorRoutesOptions): void {
  mount(
    tools,
    {
      id: 'listShards',
      method: 'get',
      path: '/api/ops/webhook-dispatcher/shards',
      summary: 'List the replicas that live or have shards, and the shards of each',
      about: 'A shard without a replica is free, and is taken by the next one that asks.',
      answer: z.object({
        items: z.array(owner),
        free: z.array(z.int()).readonly().describe('Shards that nobody has; deliveries wait.'),
      }),
    },
    async ({ res }) => {
      await journal.read(actorOf(res), 'ListShards', {});
      const { owners, free } = await shardOwners(pool);
      return {
        items: owners.map(({ leaseLeftS, ...owner }) => ({ ...owner, lease_left_s: leaseLeftS })),
        free,
      };
    },
  );
}
