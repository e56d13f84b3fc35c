import type { Migration } from './migrate.js';

export const commandsAndOutbox: Migration = {
  name: 'eventsourcing/0002_commands_and_outbox',

  async up(db) {
    await db.raw(`
      -- Commands that have appended. The key makes a repeat wait for the first execution and then do
      -- nothing; rows older than 30 days may be deleted.
      create table commands (
        command_id uuid        primary key,
        at         timestamptz not null default now()
      );

      -- Rows come in the order of time, so a summary of each range of pages finds the old ones.
      create index commands_by_age on commands using brin (at) with (autosummarize = on);

      -- Rows that the relay still has to publish, in the order of id within a key. The columns are named
      -- so that Debezium's outbox event router could read them too.
      create table outbox (
        id            bigint   primary key generated always as identity,
        -- All records of a key are in one of 16 lanes, and a lane has one relay at a time. The lane is computed
        -- when it is read, so that an insert pays for the entry in the index only.
        lane          smallint generated always as ((hashtext(aggregateid) & 15)::smallint) virtual,
        aggregatetype text     not null, -- the topic
        aggregateid   text     not null, -- the record's key
        type          text     not null, -- ce_type
        headers       json     not null, -- written once, read once, never searched
        payload       bytea    not null
      ) with (
        -- Rows live for milliseconds, so the table is vacuumed by their number, not by a share of it.
        autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000
      );

      -- A query that names the column finds the index by its expression.
      create index outbox_by_lane on outbox (((hashtext(aggregateid) & 15)::smallint), id);
    `);
  },
};
