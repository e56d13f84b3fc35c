import type { Migration } from '@junction/eventsourcing/postgres';

/** Users who want the payloads of all their deliveries redacted, which those are, and users who are being deleted. */
export const privacy: Migration = {
  name: 'webhooks/0006_privacy',

  async up(db) {
    await db.raw(REDACTIONS_AND_DELETIONS);
  },
};

const REDACTIONS_AND_DELETIONS = `
-- Removals of the payloads of a user's deliveries made by requested_at. The row goes when none of them holds a payload
-- any more.
create table redactions (
  user_id      uuid        primary key,
  requested_at timestamptz not null,
  -- Number above every transaction that was under way when the removal was requested.
  begin_after  xid8        not null,
  -- The payloads of this day, and of those before it, are listed below or gone.
  collected_to date        not null default '-infinity',
  advanced_at  timestamptz not null default now()
);
create index redactions_advanced_at on redactions (advanced_at);

-- Payloads to be removed, found once by reading a day from end to end. A delivery that waits to be sent stays listed
-- until it has ended.
create table payloads_to_redact (
  user_id     uuid not null,
  day         date not null,
  delivery_id uuid not null,

  primary key (user_id, day, delivery_id)
);

-- Users whose rows are being deleted in the background; their key is destroyed already.
create table user_deletions (
  user_id      uuid        primary key,
  requested_at timestamptz not null default now()
);
`;
