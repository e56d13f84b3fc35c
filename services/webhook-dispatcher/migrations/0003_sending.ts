import type { Migration } from '@junction/eventsourcing/postgres';

/** Leases that say which replica sends for which users, and the key pairs that sign what is sent. */
export const sending: Migration = {
  name: 'webhooks/0003_sending',

  async up(db) {
    await db.raw(SHARDS);
    await db.raw(WEBHOOK_KEYS);
  },
};

const SHARDS = `
-- The epoch fences off an owner that has lost its lease without knowing.
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
  -- Partitions of the topic of events that it consumes: the users of a partition are best sent for where it is read.
  attributes jsonb       not null
);
`;

const WEBHOOK_KEYS = `
-- A key is published from its creation until published_until, and signs from signs_from until signs_until: the key is
-- known before it signs, and as long as requests that it signed may be under way.
create table webhook_keys (
  kid             text        primary key,
  public_key      text        not null,

  -- The private key is destroyed once the key is published no more.
  private_sealed  bytea,

  created_at      timestamptz not null,
  signs_from      timestamptz not null check (signs_from >= created_at),
  signs_until     timestamptz,
  published_until timestamptz check (published_until >= signs_until),
  check ((signs_until is null) = (published_until is null)),
  check (private_sealed is not null or published_until is not null)
);
`;
