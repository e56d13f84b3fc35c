import { query } from '@junction/service';
import { z } from 'zod';
import { statement } from '../statement.js';

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

/** Replicas that send for users, which live or hold shards, and the shards that nobody has: always one row. */
export const shardOwners = query(
  z.object({
    items: z.array(owner),
    free: z.array(z.int()).readonly().describe('Shards that nobody has; deliveries wait.'),
  }),
  statement(
    'operators_shards',
    `with held as (
       select owner, array_agg(shard order by shard) as shards,
              extract(epoch from min(expires_at) - now())::float8 as lease_left_s
         from shard_leases where owner is not null group by owner)
     select array(select shard::int from shard_leases where owner is null order by shard) as free,
            (select coalesce(json_agg(o order by owner), '[]') from (
               select coalesce(r.owner, held.owner) as owner, coalesce(held.shards, '{}') as shards,
                      coalesce(held.lease_left_s, 0) as lease_left_s, coalesce(r.expires_at > now(), false) as alive,
                      array(select p::int from jsonb_array_elements_text(r.attributes -> 'partitions') p
                             order by 1) as partitions
                 from replicas r full join held on held.owner = r.owner
                where held.owner is not null or r.expires_at > now()) o) as items`,
  ),
);
