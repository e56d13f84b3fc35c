import type { Migration } from '@junction/eventsourcing/postgres';

/** Statistics and the live tail. */
export const watching: Migration = {
  name: 'webhooks/0005_watching',

  async up(db) {
    await db.raw(STATISTICS_AND_TAIL);
  },
};

const STATISTICS_AND_TAIL = `
-- Attempts by webhook and hour, added up as they are made.
create table webhook_hours (
  webhook_id uuid        not null,
  hour       timestamptz not null,
  user_id    uuid        not null,
  succeeded  integer     not null,
  failed     integer     not null,
  latency    integer[]   not null, -- how many attempts fell into each bucket of duration

  primary key (webhook_id, hour)
) with (fillfactor = 70);
create index webhook_hours_of_user on webhook_hours (user_id);

-- Listeners of the live tail, of this moment or just before: the tail is written for them only.
create table live_listeners (
  user_id uuid        primary key,
  until   timestamptz not null,
  -- Until then for those who follow their events as they come, and not only the attempts to deliver them.
  events_until timestamptz
);

-- Items of the live tail, kept for minutes, so that a listener who comes back misses nothing.
create table live_tail (
  user_id    uuid        not null,
  id         bigint      generated always as identity,
  webhook_id uuid        not null,
  type       text        not null,
  data       jsonb       not null,
  at         timestamptz not null default now(),
  body       bytea, -- that a webhook would have got, sealed with the key of the user

  primary key (user_id, id)
);
create index live_tail_at on live_tail (at);
`;
