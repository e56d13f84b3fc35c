import type { Migration } from '@junction/eventsourcing/postgres';

/**
 * Leases that say which replica sends for which users. The epoch fences off an owner that has lost its lease without
 * knowing.
 */
export const shards: Migration = {
  name: 'webhooks/0003_shards',

  async up(db) {
    await db.raw(`
      create table shard_leases (
        shard      smallint    primary key check (shard between 0 and 47),
        owner      text,
        epoch      bigint      not null,
        expires_at timestamptz not null
      ) with (fillfactor = 50);
      insert into shard_leases (shard, epoch, expires_at)
        select shard, 0, '-infinity' from generate_series(0, 47) shard;

      -- Replicas that are alive, with or without a shard: shares are computed over all of them.
      create table replicas (
        owner      text        primary key,
        expires_at timestamptz not null,
        -- Partitions of the topic of events that it consumes: the users of a partition are best sent for where
        -- it is read.
        attributes jsonb       not null
      );
    `);
  },
};
