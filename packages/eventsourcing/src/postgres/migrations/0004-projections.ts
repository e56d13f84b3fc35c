import type { Migration } from './migrate.js';

export const projections: Migration = {
  name: 'eventsourcing/0004_projections',

  async up(db) {
    await db.raw(`
      -- The versions of a projection: the one that answers reads, and one that a rebuild fills beside it.
      create table projection_checkpoints (
        name       text        not null,
        version    integer     not null check (version > 0),
        -- Point to which the rebuild has read, and the number of events it has applied.
        tx         xid8        not null default '0',
        position   bigint      not null default 0,
        done       bigint      not null default 0,
        -- Columns that a rebuild has written, and may change in the table that answers.
        columns    text[]      not null default '{}',
        live       boolean     not null default false,
        updated_at timestamptz not null default now(),
        primary key (name, version)
      );

      -- A projection has one version that answers reads.
      create unique index projection_checkpoints_live on projection_checkpoints (name) where live;

      -- The process that rebuilds a projection. A taker counts the epoch up, and a move of a checkpoint
      -- names the epoch: a process that was paused past its lease moves nothing.
      create table projection_leases (
        name       text        primary key,
        owner      text,
        epoch      bigint      not null,
        expires_at timestamptz not null
      ) with (fillfactor = 50);
    `);
  },
};
