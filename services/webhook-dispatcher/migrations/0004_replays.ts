import type { Migration } from '@junction/eventsourcing/postgres';

/** Tables of single redeliveries, and of replays as operations with their progress. */
export const replays: Migration = {
  name: 'webhooks/0004_replays',

  async up(db) {
    await db.raw(REDELIVERIES_AND_OPERATIONS);
  },
};

const REDELIVERIES_AND_OPERATIONS = `
-- Deliveries that repeat an earlier one: a delivery that is sent again is a new delivery.
create table redeliveries (
  original_id uuid not null,
  delivery_id uuid not null,
  day         date not null, -- of the delivery that repeats
  user_id     uuid not null,

  primary key (original_id, delivery_id)
);
create index redeliveries_of_user on redeliveries (user_id);

-- Operations that go on by themselves, in batches. A batch locks the row as long as it lasts: that is the lease.
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
  -- Number above every transaction that was under way when the replay was requested.
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
