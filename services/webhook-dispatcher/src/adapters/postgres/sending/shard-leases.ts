import type pg from 'pg';
import type { LeaseStore } from '../../../application/dispatch/leases.js';
import type { Replica } from '../../../application/dispatch/rendezvous.js';

const LEASE = `interval '6 seconds'`;

/** Leases in Postgres, by its clock: replicas need not agree on the time. */
export const shardLeases = (pool: pg.Pool): LeaseStore => ({
  async announce(owner, partitions) {
    const { rows } = await pool.query<Replica>({
      name: 'replica_announce',
      text: `
        with gone as (
          delete from replicas where expires_at < now() - interval '1 minute' and owner <> $1
        ), here as (
          insert into replicas (owner, partitions, expires_at) values ($1, $2, now() + ${LEASE})
          on conflict (owner) do update
            set expires_at = excluded.expires_at, partitions = excluded.partitions
          returning owner, partitions
        )
        select owner, partitions from here
        union all
        select owner, partitions from replicas where expires_at > now() and owner <> $1`,
      values: [owner, partitions],
    });
    return rows;
  },

  async hold(owner, shards) {
    // An own lease that ran out keeps its epoch: nobody took it, so nothing of ours is out of date.
    const { rows } = await pool.query<{ shard: number; epoch: string }>({
      name: 'shards_hold',
      text: `update shard_leases
                set owner = $1, expires_at = now() + ${LEASE},
                    epoch = epoch + (case when owner = $1 then 0 else 1 end)
              where shard = any ($2) and (owner = $1 or owner is null or expires_at <= now())
             returning shard, epoch`,
      values: [owner, shards],
    });
    return rows;
  },

  async release(owner, shards) {
    await pool.query({
      name: 'shards_release',
      text: 'update shard_leases set owner = null where owner = $1 and shard = any ($2)',
      values: [owner, shards],
    });
  },

  async retire(owner) {
    await pool.query('delete from replicas where owner = $1', [owner]);
  },

  async leave(owner) {
    await pool.query('update shard_leases set owner = null where owner = $1', [owner]);
    await pool.query('delete from replicas where owner = $1', [owner]);
  },
});
