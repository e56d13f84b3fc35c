import type { Migration } from '@junction/eventsourcing/postgres';

/** The kinds of event that the platform has added, as they were when the service started with them. */
export const eventTypes: Migration = {
  name: 'webhooks/0009_event_types',

  async up(db) {
    await db.raw(EVENT_TYPES);
  },
};

const EVENT_TYPES = `
create table event_types (
  kind        text        not null,
  -- Counts the definitions of the kind, from 1. None is deleted: each later one only adds to it.
  version     integer     not null,
  opt_in      boolean     not null,
  schema      json        not null,
  accepted_at timestamptz not null default now(),

  primary key (kind, version)
);
`;
