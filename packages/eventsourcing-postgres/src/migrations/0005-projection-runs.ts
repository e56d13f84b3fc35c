import type { Migration } from '../migrate.js';

export const projectionRuns: Migration = {
  name: 'eventsourcing/0005_projection_runs',

  async up(db) {
    await db.raw(`
      alter table projection_checkpoints
        -- How many events it took to come here.
        add column done             bigint not null default 0,
        -- The columns a rebuild has written: what it may change in the table that answers.
        add column columns          text[] not null default '{}',
        -- The event it could not handle, and why, in words without anybody's data.
        add column stopped_position bigint,
        add column stopped_type     text,
        add column stopped_reason   text,
        add column stopped_at       timestamptz,
        add check (num_nulls(stopped_position, stopped_type, stopped_reason, stopped_at) in (0, 4));

      -- Which process works at a projection. A taker counts the epoch up; whoever moves a checkpoint
      -- names the epoch it holds, so one that was paused past its lease moves nothing.
      create table projection_leases (
        task       text        primary key, -- the name, or "<name> rebuild"
        owner      text        not null,
        epoch      bigint      not null check (epoch > 0),
        expires_at timestamptz not null
      ) with (fillfactor = 50);

      -- Events somebody decided to leave out.
      create table projection_skips (
        name       text        not null,
        version    integer     not null,
        position   bigint      not null,
        type       text        not null,
        reason     text        not null,
        skipped_at timestamptz not null default now(),
        primary key (name, version, position)
      );
    `);
  },

  async down(db) {
    await db.raw(`
      drop table projection_skips, projection_leases;
      alter table projection_checkpoints
        drop column stopped_at, drop column stopped_reason, drop column stopped_type,
        drop column stopped_position, drop column columns, drop column done;
    `);
  },
};
