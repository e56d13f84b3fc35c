import type { Migration } from '@junction/eventsourcing/postgres';

/**
 * Tables of events, deliveries, attempts and outcomes. All rows of a delivery carry the day on which it was made, so
 * that a day is dropped as a whole.
 */
export const deliveries: Migration = {
  name: 'webhooks/0002_deliveries',

  async up(db) {
    await db.raw(EVENTS_AND_DELIVERIES);
    await db.raw(ATTEMPTS_AND_OUTCOMES);
    await db.raw(PENDING);
  },
};

const EVENTS_AND_DELIVERIES = `
create table seen_events (
  day        date        not null,
  message_id uuid        not null,
  ce_source  text        not null,
  ce_id      text        not null,
  user_id    uuid        not null,
  kind       text        not null,
  at         timestamptz not null,
  -- Verdict of each webhook, {"wh_…": "pending" | "held" | "kind_not_selected"}: a match, or why there is none.
  verdicts   jsonb       not null,
  -- Number of repeats of the event, which are not delivered.
  repeats     integer     not null default 0,
  repeated_at timestamptz,

  -- A repeat is looked up by its id alone, in the partitions of seven days.
  primary key (message_id, day)
) partition by range (day);
create index seen_events_of_user on seen_events (user_id, at);

create table deliveries (
  day         date  not null,
  delivery_id uuid  not null,
  message_id  uuid  not null,
  webhook_id  uuid  not null,
  user_id     uuid  not null,
  kind        text  not null,
  body        bytea not null,
  key_id      text, -- null: the body is not sealed
  original_id uuid, -- the first delivery of what this one repeats
  redacted_at timestamptz,
  -- The first attempt of a delivery that succeeded before the row was written, which has no row of its own.
  -- The body is then followed by the answer, sealed with it: headers, an empty line, the body's beginning.
  sent_at     timestamptz,
  body_bytes  integer, -- before sealing
  http_status smallint,
  dns_ms      integer,
  connect_ms  integer,
  tls_ms      integer,
  headers_ms  integer,
  total_ms    integer,
  -- Trace of the event, as in the header of W3C Trace Context; null: no recorded trace, and none that its producer
  -- named.
  traceparent text,
  is_test     boolean, -- null: it is of an event that came
  operation_id uuid, -- the replay that sent it; null: none did
  -- Time of the event as its producer gives it. The id says when the event was taken in.
  event_time  timestamptz,

  primary key (day, delivery_id)
) partition by range (day);
create index deliveries_of_webhook on deliveries (webhook_id, delivery_id);
`;

const ATTEMPTS_AND_OUTCOMES = `
create table attempts (
  day         date        not null,
  delivery_id uuid        not null,
  n           smallint    not null,
  at          timestamptz not null,
  result      text        not null,
  http_status smallint,
  -- Null: the connection was there already.
  dns_ms      integer,
  connect_ms  integer,
  tls_ms      integer,
  headers_ms  integer,
  total_ms    integer     not null,
  answer      bytea,      -- headers, an empty line, the body's beginning
  key_id      text,       -- null: the answer is not sealed

  primary key (day, delivery_id, n)
) partition by range (day);

create table outcomes (
  day         date        not null,
  delivery_id uuid        not null,
  webhook_id  uuid,
  status      text        not null
              check (status in ('held', 'succeeded', 'exhausted', 'refused', 'cancelled')),
  reason      text,
  at          timestamptz not null,

  primary key (day, delivery_id, at)
) partition by range (day);
-- Failures are looked for among much that succeeded; a success costs no entry.
create index outcomes_not_succeeded on outcomes (webhook_id, delivery_id)
  where status <> 'succeeded';

-- All attempts, without the answers.
create view attempts_made as
select day, delivery_id, n, at, result, http_status, dns_ms, connect_ms, tls_ms, headers_ms, total_ms
  from attempts
 union all
select day, delivery_id, 1::smallint, sent_at, 'succeeded', http_status, dns_ms, connect_ms, tls_ms,
       headers_ms, total_ms
  from deliveries where sent_at is not null;

-- No outcome is written for a success at the first attempt: the attempt says it.
create view endings as
select day, delivery_id, status, reason, at from outcomes
 union all
select day, delivery_id, 'succeeded', null, at + total_ms * interval '1 ms'
  from attempts_made where result = 'succeeded';
`;

const PENDING = `
-- Deliveries with a next attempt only, so the table stays small however much was delivered.
create table pending (
  delivery_id uuid        primary key,
  day         date        not null,
  webhook_id  uuid        not null,
  user_id     uuid        not null,
  shard       smallint    not null,
  attempt     smallint    not null, -- the number of the next attempt
  unscheduled smallint    not null default 0, -- attempts that its owner asked for, the next one included
  status      text        not null check (status in ('pending', 'retrying')),
  next_at     timestamptz not null
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02,
        autovacuum_vacuum_threshold = 1000);
create index pending_due on pending (shard, next_at);
-- The queue of an ordered webhook is read from its oldest delivery on.
create index pending_of_webhook on pending (webhook_id, delivery_id);
-- Serves reads that go from webhook to webhook without passing their rows, and to the due ones of each.
create index pending_due_of_webhook on pending (webhook_id, next_at);
`;
