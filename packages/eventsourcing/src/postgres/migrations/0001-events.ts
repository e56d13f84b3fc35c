import type { Migration } from './migrate.js';

export const events: Migration = {
  name: 'eventsourcing/0001_events',

  async up(db) {
    await db.raw(TABLES);
    await db.raw(APPEND_ONLY);
    await db.raw(PARTITIONS);
  },
};

// Neither table checks its numbers: Postgres would read and plan each check again for every statement.
// Appends alone write here and count from zero, and verifyStreams looks for versions that do not.
const TABLES = `
-- A row for each stream: appends wait for its lock, and it hands out the versions.
create table streams (
  stream_id text    primary key,
  version   integer not null,
  -- Number of records of the domain topic that came from the stream: the ce_sequence of the last one.
  published bigint  not null,
  -- Highest tx written with an event of the stream; see below.
  last_tx   xid8    not null
) with (fillfactor = 80); -- updated by every append: room for the new row on the same page

create table events (
  position       bigint      not null generated always as identity,
  stream_id      text        not null,
  version        integer     not null,
  -- Positions are handed out before commit, so 7 can become visible before 6. Readers page by
  -- (tx, position) and stop short of the oldest transaction still open; see read-all.ts.
  -- tx = greatest(own transaction id, streams.last_tx): with the own id alone a transaction
  -- that wrote anything before it appended would show version 2 before version 1.
  tx             xid8        not null,
  event_id       uuid        not null,
  type           text        not null,
  schema_version smallint    not null,
  data           jsonb       not null,
  metadata       jsonb       not null default '{}',
  recorded_at    timestamptz not null,
  primary key (position)
) partition by range (position);

create index events_in_reading_order on events (tx, position);

-- Serves readers of one category (the aggregate in <aggregate>-<id>). The index cost 0 to 5 % of an append as
-- an expression; as a generated column another 5 %, and its bytes in every row.
create index events_by_category on events (split_part(stream_id, '-', 1), tx, position);
`;

const APPEND_ONLY = `
create function refuse_to_rewrite_history() returns trigger language plpgsql as $$
begin
  raise exception 'events are append-only' using errcode = 'JN002';
end $$;

create trigger events_are_append_only before update or delete or truncate on events
  for each statement execute function refuse_to_rewrite_history();
`;

const PARTITIONS = `
-- Partition n holds the positions [n, n + 1) times ten million. There is no default partition: Postgres
-- would have to search it, under a lock, each time a new partition is made.
create function create_events_partition(n integer) returns void language plpgsql as $$
declare
  partition_size constant bigint := 10000000;
  partition      constant text   := 'events_p' || n;
begin
  -- A partition is attached after it was made: creating it as a partition would lock out every reader and
  -- writer of events, attaching an empty table locks out neither.
  execute format('create table %I (like events including defaults including constraints)', partition);
  execute format('alter table events attach partition %I for values from (%s) to (%s)',
    partition, n * partition_size, (n + 1) * partition_size);

  -- A unique index on a partitioned table must contain the partition key, so each partition
  -- has its own index, by which a stream is loaded too. Between partitions the head row in
  -- streams keeps versions unique.
  execute format('create unique index %I on %I (stream_id, version)',
    partition || '_stream_version', partition);

  -- The trigger on events is not asked when a partition is named directly.
  execute format('create trigger events_are_append_only before update or delete or truncate
    on %I for each statement execute function refuse_to_rewrite_history()', partition);
end $$;

-- Makes the missing ones among the partition that is being written and the next "ahead" ones, and
-- returns the names of the new partitions.
create function make_events_partitions(ahead integer) returns setof text language plpgsql as $$
declare
  partition_size constant bigint  := 10000000;
  written        constant bigint  := coalesce(
    pg_sequence_last_value(pg_get_serial_sequence('events', 'position')::regclass), 0);
  n integer;
begin
  perform pg_advisory_xact_lock(7035201993);
  -- Asks the catalogue itself: to_regclass asks a cache, which a wait for a lock does not refresh.
  for n in
    select g from generate_series(written / partition_size, written / partition_size + ahead) g
     where not exists (select from pg_inherits i join pg_class c on c.oid = i.inhrelid
                        where i.inhparent = 'events'::regclass and c.relname = 'events_p' || g)
  loop
    perform create_events_partition(n);
    return next 'events_p' || n;
  end loop;
end $$;

select make_events_partitions(2);
`;
