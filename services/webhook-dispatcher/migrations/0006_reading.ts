import type { Migration } from '@junction/eventsourcing-postgres';

/** What owners read of their deliveries, and have sent again. */
export const reading: Migration = {
  name: 'webhooks/0006_reading',

  async up(db) {
    await db.raw(COLUMNS_AND_INDEXES);
    await db.raw(REDELIVERIES_AND_OPERATIONS);
    await db.raw(STATISTICS_AND_TAIL);
  },

  async down(db) {
    await db.raw(`
      drop table live_tail, live_listeners, webhook_hours, operations, redeliveries;
      drop index outcomes_not_succeeded, seen_events_of_user;
      alter table outcomes drop column webhook_id;
      alter table attempts drop column dns_ms, drop column connect_ms, drop column tls_ms,
                           drop column headers;
      alter table deliveries drop column original_id, drop column redacted_at;
    `);
  },
};

const COLUMNS_AND_INDEXES = `
-- null: the connection was there already.
alter table attempts add column dns_ms     integer,
                     add column connect_ms integer,
                     add column tls_ms     integer,
                     add column headers    bytea; -- of the answer, sealed like the sample

alter table deliveries add column original_id uuid, -- the first delivery of what this one repeats
                       add column redacted_at timestamptz;

-- What failed is looked for among much that did not; what succeeded costs no entry.
alter table outcomes add column webhook_id uuid;
create index outcomes_not_succeeded on outcomes (webhook_id, delivery_id)
  where status <> 'succeeded';

create index seen_events_of_user on seen_events (user_id, at, message_id);
`;

const REDELIVERIES_AND_OPERATIONS = `
-- Which deliveries repeat one that was there first: a delivery that is sent again is a new one.
create table redeliveries (
  original_id uuid not null,
  delivery_id uuid not null,
  day         date not null, -- of the delivery that repeats
  user_id     uuid not null,

  primary key (original_id, delivery_id)
);
create index redeliveries_of_user on redeliveries (user_id);

-- Work that goes on by itself, in batches. The row is locked for the length of one: that is the lease.
create table operations (
  operation_id   uuid        primary key,
  user_id        uuid        not null,
  webhook_id     uuid        not null,
  status         text        not null check (status in ('running', 'completed', 'cancelled')),
  reason         text,
  from_at        timestamptz not null,
  to_at          timestamptz not null,
  kinds          text[], -- null: all
  outcomes       text[]      not null,
  counted        integer     not null,
  count_is_exact boolean     not null,
  sent           integer     not null default 0,
  skipped        integer     not null default 0,
  last_delivery_id uuid,     -- how far it has come
  -- Every transaction that was under way when it was asked for is numbered below this.
  begin_after    xid8        not null,
  requested_at   timestamptz not null default now(),
  advanced_at    timestamptz not null default now(),
  ended_at       timestamptz,

  check ((status = 'running') = (ended_at is null))
);
create index operations_running on operations (advanced_at) where status = 'running';
create unique index operations_one_of_webhook on operations (webhook_id) where status = 'running';
create index operations_of_user on operations (user_id, operation_id);
`;

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

-- Who watches, or did a moment ago: only for them is the tail written.
create table live_listeners (
  user_id uuid        primary key,
  until   timestamptz not null
);

-- What listeners see, kept for minutes, so that who comes back misses nothing.
create table live_tail (
  user_id    uuid        not null,
  id         bigint      generated always as identity,
  webhook_id uuid        not null,
  type       text        not null,
  data       jsonb       not null,
  at         timestamptz not null default now(),

  primary key (user_id, id)
);
create index live_tail_at on live_tail (at);
`;
