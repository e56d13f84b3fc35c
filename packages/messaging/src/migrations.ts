import type { Migration } from '@junction/eventsourcing/postgres';

const relay: Migration = {
  name: 'messaging/0001_relay',

  async up(db) {
    await db.raw(`
      -- Relays that are alive. The lanes are shared among all of them, so a relay that holds no lane
      -- counts too.
      create table relay_owners (
        owner      text        primary key,
        expires_at timestamptz not null,
        attributes jsonb       not null
      );

      -- The relay that sends each lane of the outbox. Taking a lane counts its epoch up, and deleting sent
      -- rows names the epoch: a relay that was paused past its lease deletes nothing.
      create table relay_leases (
        lane       smallint    primary key check (lane between 0 and 15),
        owner      text,
        epoch      bigint      not null,
        expires_at timestamptz not null
      ) with (fillfactor = 50);

      insert into relay_leases (lane, epoch, expires_at)
        select lane, 0, '-infinity' from generate_series(0, 15) lane;
    `);
  },
};

const consumers: Migration = {
  name: 'messaging/0002_consumers',

  async up(db) {
    await db.raw(`
      -- Offsets at which consumers go on. An offset is moved only from where the fetch began, in the
      -- transaction that holds the fetch's effects, so they happen once. Kafka keeps no offsets.
      create table consumer_offsets (
        consumer    text        not null,
        topic       text        not null,
        partition   integer     not null check (partition >= 0),
        next_offset bigint      not null check (next_offset >= 0),
        updated_at  timestamptz not null default now(),
        primary key (consumer, topic, partition)
      ) with (fillfactor = 50);

      -- The last ce_sequence that was taken, for each aggregate. A row is kept for ever, because a record
      -- may be repeated at any time.
      create table consumer_sequences (
        consumer text   not null,
        topic    text   not null,
        key      text   not null,
        sequence bigint not null check (sequence > 0),
        primary key (consumer, topic, key)
      ) with (fillfactor = 80);

      -- Ids of records that carry no sequence. Duplicates come within minutes; rows are kept for a week.
      create table consumer_inbox (
        consumer text        not null,
        source   text        not null,
        id       text        not null,
        seen_at  timestamptz not null default now(),
        primary key (consumer, source, id)
      );
      create index consumer_inbox_by_age on consumer_inbox (seen_at);

      -- State of each partition, as its member reports it every two seconds; a partition without a report
      -- for ten seconds is stopped. The rows of consumer_offsets are locked by batches, so it is no part of them.
      create table consumer_partitions (
        consumer  text        not null,
        topic     text        not null,
        partition integer     not null,
        owner     text        not null,
        state     text        not null,
        seen_at   timestamptz not null,
        primary key (consumer, topic, partition)
      ) with (fillfactor = 50);
    `);
  },
};

const deadLetters: Migration = {
  name: 'messaging/0003_dead_letters',

  async up(db) {
    await db.raw(`
      -- Records that could not be handled, as they were found. The copy on <topic>.dlq holds only
      -- the reason, the coordinates and the id. Resolved letters are kept for a week.
      create table dead_letters (
        id              uuid        primary key,
        consumer        text        not null,
        topic           text        not null,
        partition       integer     not null,
        record_offset   bigint      not null,
        key             text,
        user_id         uuid,                           -- ce_subject, where that is a user
        reason_code     text        not null,
        reason_text     text        not null,
        headers         jsonb       not null,
        payload         bytea,
        recorded_at     timestamptz not null,           -- the record's own timestamp
        at              timestamptz not null default now(),
        redrives        integer     not null default 0, -- tries that failed
        resolved_at     timestamptz,
        resolution      text check (resolution in ('redriven', 'discarded')),
        resolved_by     text,
        resolution_note text,
        check ((resolved_at is null) = (resolution is null)),
        -- A record that is read again is set aside once. The timestamp tells it from a record of a topic made anew.
        unique (consumer, topic, partition, record_offset, recorded_at)
      );
      create index dead_letters_open on dead_letters (consumer, topic, record_offset)
        where resolved_at is null;
      create index dead_letters_of_user on dead_letters (user_id) where user_id is not null;
    `);
  },
};

const topicIds: Migration = {
  name: 'messaging/0004_topic_ids',

  async up(db) {
    await db.raw(`
      -- The topic's id in Kafka (KIP-516): an offset counts in the log of this id alone. Null: stored by a version
      -- that knew no ids, or of a Kafka older than 3.1.
      alter table consumer_offsets add column topic_id text;

      -- Reason why the offset is lost, until a reset: a log may grow past an offset that meant another place.
      alter table consumer_offsets add column lost_reason text;
    `);
  },
};

const failingPartitions: Migration = {
  name: 'messaging/0005_failing_partitions',

  async up(db) {
    await db.raw(`
      -- Time since which the partition fails, by the member that reports it; null while it does not.
      alter table consumer_partitions add column failing_since timestamptz;
    `);
  },
};

const batchesAtOnce: Migration = {
  name: 'messaging/0006_batches_at_once',

  async up(db) {
    await db.raw(`
      -- Undoes a statement that takes a batch as a whole: an offset was moved, or a record needs more.
      create function refuse_batch() returns boolean language plpgsql as $$
      begin
        raise exception 'The batch is taken in a transaction.' using errcode = 'JN002';
      end $$;
    `);
  },
};

/** Migrations of the relay and of consumers, which come after those of the event store. */
export const messagingMigrations: readonly Migration[] = [
  relay,
  consumers,
  deadLetters,
  topicIds,
  failingPartitions,
  batchesAtOnce,
];
