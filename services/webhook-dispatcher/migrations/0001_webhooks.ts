import type { Migration } from '@junction/eventsourcing/postgres';

/**
 * The read model of webhooks, written in the transaction of the event, and the sealed secrets. Ids are stored as the
 * UUID behind their prefix: 16 bytes instead of 40, in rows and indexes that are written for every delivery.
 */
export const webhooks: Migration = {
  name: 'webhooks/0001_webhooks',

  async up(db) {
    await db.raw(WEBHOOKS);
    await db.raw(CHANGES_AND_CIRCUITS);
  },
};

const WEBHOOKS = `
create table webhooks (
  webhook_id        uuid        primary key,
  user_id           uuid        not null,
  url               text        not null,
  href              text        not null,
  events            text[]      not null,
  status            text        not null check (status in ('active', 'paused', 'disabled')),
  disabled_reason   text        check (disabled_reason in ('user', 'gone_410', 'failing')),
  paused            boolean     not null,
  has_secret        boolean     not null,
  secret_version    integer     not null,
  version           integer     not null,
  created_at        timestamptz not null,
  updated_at        timestamptz not null,
  disabled_at       timestamptz,
  ordered           boolean     not null default false,
  rate_limit        double precision,
  description       text,
  -- The filter as JSON. The type is text, because a rebuild reads the filter of a deleted user as no JSON.
  filter            text,
  retry_schedule    double precision[],
  header_names      text[]      not null default '{}',
  headers_version   integer     not null default 0,
  signature         text        not null default 'hmac' check (signature in ('hmac', 'ed25519')),
  -- Metadata as JSON. The type is text for the reason of the filter.
  metadata          text,
  -- Whether the trace of an event is passed on to the receiver.
  trace_context     boolean     not null default false,

  check ((status = 'disabled') = (disabled_reason is not null))
);
-- Not unique: several webhooks may have one url. Configure makes one of each url under the lock of its user.
create index webhooks_at on webhooks (user_id, href);

-- Secrets, the newest first, sealed with the user's key; several only while a rotation lasts.
create table webhook_secrets (
  webhook_id uuid        not null references webhooks on delete cascade,
  version    integer     not null,
  sealed     bytea       not null,
  expires_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (webhook_id, version)
);

-- The values of custom headers: a JSON object, sealed with the user's key.
create table webhook_headers (
  webhook_id uuid    primary key references webhooks on delete cascade,
  version    integer not null,
  sealed     bytea   not null
);
`;

const CHANGES_AND_CIRCUITS = `
-- A single row, moved by every change of a webhook, so that a replica sees that its copy is old.
create table webhook_index (
  only_row boolean primary key default true check (only_row),
  version  bigint  not null
);
insert into webhook_index (version) values (0);

-- A row for each version of webhook_index, whose lock has them committed in this order. Kept for an hour.
create table webhook_changes (
  version    bigint      primary key,
  user_id    uuid        not null,
  webhook_id uuid,
  at         timestamptz not null default now()
);

create function bump_webhook_index() returns trigger language plpgsql as $$
begin
  with next as (update webhook_index set version = version + 1 returning version)
  insert into webhook_changes (version, user_id, webhook_id)
  select version, coalesce(new.user_id, old.user_id), coalesce(new.webhook_id, old.webhook_id) from next;
  return null;
end $$;

-- The trigger is deferred to the commit: the one row that all changes need is locked last and shortest.
create constraint trigger webhooks_bump_index after insert or update or delete on webhooks
  deferrable initially deferred for each row execute function bump_webhook_index();

-- Circuits that are open or half open.
create table circuits (
  webhook_id uuid             primary key references webhooks on delete cascade,
  opened_at  timestamptz      not null,
  probe_at   timestamptz      not null, -- when the next probe is due; half open from then on
  rest_ms    double precision not null check (rest_ms > 0) -- of which the next is the double
);

-- Webhooks whose last attempt failed, and since when none succeeded. The table is small, because a webhook
-- that works has no row. It does not reference webhooks: a result may come after the webhook is gone.
create table failing_webhooks (
  webhook_id uuid        primary key,
  since      timestamptz not null,
  last_at    timestamptz not null,
  reason     text        not null -- of the last
);
`;
