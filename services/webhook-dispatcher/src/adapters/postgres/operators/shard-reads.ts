import type pg from 'pg';
import { statement } from '../statement.js';

export interface ShardOwner {
  readonly owner: string;
  readonly shards: readonly number[];
  /** Seconds until others may take the shards; below 0: they may. */
  readonly leaseLeftS: number;
  readonly alive: boolean;
  /** Partitions of the topic of events that the replica consumes. */
  readonly partitions: readonly number[];
}

export interface ShardOwners {
  readonly owners: readonly ShardOwner[];
  readonly free: readonly number[];
}

/** Reads which replica sends for which users: replicas that live, and replicas that hold shards. */
export async function shardOwners(pool: pg.Pool): Promise<ShardOwners> {
  const { rows } = await read(pool);
  const owners = rows.filter((row): row is OwnerRow & { owner: string } => row.owner !== null);
  const [free] = rows.filter(({ owner }) => owner === null);
  return {
    owners: owners.map((row) => ({
      owner: row.owner,
      shards: row.shards,
      leaseLeftS: row.lease_left_s ?? 0,
      alive: row.alive,
      partitions: row.partitions,
    })),
    free: free?.shards ?? [],
  };
}

interface OwnerRow {
  /** null: nobody's. */
  readonly owner: string | null;
  readonly shards: readonly number[];
  readonly lease_left_s: number | null;
  readonly alive: boolean;
  readonly partitions: readonly number[];
}

const read = statement<OwnerRow>(
  'operators_shards',
  `with held as (
     select owner, array_agg(shard order by shard)::int[] as shards,
            extract(epoch from min(expires_at) - now())::float8 as lease_left_s
       from shard_leases where owner is not null group by owner)
   select coalesce(r.owner, held.owner) as owner, coalesce(held.shards, '{}') as shards, held.lease_left_s,
          coalesce(r.expires_at > now(), false) as alive,
          array(select p::int from jsonb_array_elements_text(r.attributes -> 'partitions') p order by 1) as partitions
     from replicas r full join held on held.owner = r.owner
    where held.owner is not null or r.expires_at > now()
   union all
   select null, coalesce(array_agg(shard order by shard)::int[], '{}'), null, false, '{}'
     from shard_leases where owner is null
   order by owner`,
);
