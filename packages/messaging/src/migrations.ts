import type { Migration } from '@junction/eventsourcing-postgres';

const relay: Migration = {
  name: 'messaging/0001_relay_leases',

  async up(db) {
    await db.raw(`
      -- Relays that are alive: the lanes are shared among them, also with one that holds none yet.
      create table relay_owners (
        owner      text        primary key,
        expires_at timestamptz not null
      );

      -- Who sends which lane of the outbox. A taker counts the epoch up; whoever deletes sent rows
      -- names the epoch it holds, so one that was paused past its lease deletes nothing.
      create table relay_leases (
        lane       smallint    primary key check (lane between 0 and 15),
        owner      text,
        epoch      bigint      not null default 0,
        expires_at timestamptz,
        check ((owner is null) = (expires_at is null))
      ) with (fillfactor = 50);

      insert into relay_leases (lane) select generate_series(0, 15);
    `);
  },

  async down(db) {
    await db.raw('drop table relay_leases, relay_owners');
  },
};

const consumers: Migration = {
  name: 'messaging/0002_consumer_offsets',

  async up(db) {
    await db.raw(`
      -- Where a consumer goes on. Moved only from the offset where a fetch began, in the transaction
      -- that holds the fetch's effects: this is what makes them happen once. Kafka keeps no offsets.
      create table consumer_offsets (
        consumer    text        not null,
        topic       text        not null,
        partition   integer     not null check (partition >= 0),
        next_offset bigint      not null check (next_offset >= 0),
        updated_at  timestamptz not null default now(),
        primary key (consumer, topic, partition)
      ) with (fillfactor = 50);

      -- The last ce_sequence that took effect, for each aggregate. One row each, kept for ever: a
      -- record may be repeated at any time.
      create table consumer_sequences (
        consumer text   not null,
        topic    text   not null,
        key      text   not null,
        sequence bigint not null check (sequence > 0),
        primary key (consumer, topic, key)
      ) with (fillfactor = 80);

      -- Ids of records that carry no sequence. Repetitions come within minutes; rows are kept a week.
      create table consumer_inbox (
        consumer text        not null,
        source   text        not null,
        id       text        not null,
        seen_at  timestamptz not null default now(),
        primary key (consumer, source, id)
      );
      create index consumer_inbox_by_age on consumer_inbox (seen_at);
    `);
  },

  async down(db) {
    await db.raw('drop table consumer_inbox, consumer_sequences, consumer_offsets');
  },
};

const deadLetters: Migration = {
  name: 'messaging/0003_dead_letters',

  async up(db) {
    await db.raw(`
      -- Records that could not be handled, as they were found. The copy on <topic>.dlq holds only
      -- the reason, the coordinates and the id.
      create table dead_letters (
        id            uuid        primary key,
        consumer      text        not null,
        topic         text        not null,
        partition     integer     not null,
        record_offset bigint      not null,
        key           text,
        headers       jsonb       not null,
        payload       bytea,
        recorded_at   timestamptz not null, -- the record's own timestamp
        reason_code   text        not null,
        reason_text   text        not null,
        user_id       uuid,                 -- ce_subject, where it is one: what to erase with the user
        parked        boolean     not null, -- its key waits in parked_keys
        at            timestamptz not null default now(),
        resolved_at   timestamptz,
        resolution    text check (resolution in ('redriven', 'discarded')),
        check ((resolved_at is null) = (resolution is null))
      );
      create index dead_letters_open on dead_letters (consumer, topic, record_offset)
        where resolved_at is null;
      create index dead_letters_of_key on dead_letters (consumer, topic, key, record_offset)
        where parked and resolved_at is null;
      create index dead_letters_of_user on dead_letters (user_id) where user_id is not null;

      -- Keys of ordered topics whose records wait behind one that failed. A batch that may add a
      -- follower shares a lock on the row, so a redrive that holds it for itself misses none.
      create table parked_keys (
        consumer text        not null,
        topic    text        not null,
        key      text        not null,
        since    timestamptz not null default now(),
        primary key (consumer, topic, key)
      );
    `);
  },

  async down(db) {
    await db.raw('drop table parked_keys, dead_letters');
  },
};

const operations: Migration = {
  name: 'messaging/0004_operations',

  async up(db) {
    await db.raw(`
      -- What operators did with a dead letter. Resolved ones are kept for a week.
      alter table dead_letters
        add column redrives        integer not null default 0, -- tries that failed
        add column resolved_by     text,
        add column resolution_note text;

      -- What the members of a group say of their partitions, every two seconds. One that nobody has
      -- spoken of for ten is stopped. Beside consumer_offsets, whose rows batches hold locked.
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

  async down(db) {
    await db.raw(`
      drop table consumer_partitions;
      alter table dead_letters
        drop column redrives, drop column resolved_by, drop column resolution_note`);
  },
};

/** Tables of the relay and of consumers. They come after the event store's. */
export const messagingMigrations: readonly Migration[] = [
  relay,
  consumers,
  deadLetters,
  operations,
];
