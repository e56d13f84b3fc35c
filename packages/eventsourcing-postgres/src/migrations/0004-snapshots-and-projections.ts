import type { Migration } from '../migrate.js';

export const snapshotsAndProjections: Migration = {
  name: 'eventsourcing/0004_snapshots_and_projections',

  async up(db) {
    await db.raw(`
      -- The state of a stream after its first "version" events. Only ever a shortcut: dropping a
      -- row costs time, never facts, unless the partition with those events was detached.
      create table snapshots (
        stream_id      text        primary key,
        version        integer     not null check (version > 0),
        schema_version smallint    not null check (schema_version > 0),
        state          jsonb       not null,
        taken_at       timestamptz not null default now()
      );

      -- How far an asynchronous projection has read. A rebuild fills a new version beside the one
      -- that answers, and then takes its place.
      create table projection_checkpoints (
        name       text        not null,
        version    integer     not null check (version > 0),
        tx         xid8        not null default '0',
        position   bigint      not null default 0,
        live       boolean     not null default false,
        updated_at timestamptz not null default now(),
        primary key (name, version)
      );

      -- One version of a projection answers reads.
      create unique index projection_checkpoints_live on projection_checkpoints (name) where live;
    `);
  },

  async down(db) {
    await db.raw('drop table projection_checkpoints, snapshots');
  },
};
