import type { Migration } from '@junction/eventsourcing-postgres';

export const providerSignals: Migration = {
  name: 'integrations/0004_provider_signals',

  async up(db) {
    await db.raw(`
      -- When the provider is asked next whether a connection still stands. Beside the credentials, so
      -- that asking often does not rewrite them; deleted with them.
      create table connection_checks (
        connection_id    text        primary key references credentials on delete cascade,
        client           text        not null,
        due_at           timestamptz not null,
        -- There is a reason to think that it ended: asked also where nobody asks regularly.
        suspected        boolean     not null default false,
        -- Since when a check has been due that was tried without an answer. null: the last was answered.
        unanswered_since timestamptz
      ) with (fillfactor = 80);
      create index connection_checks_due on connection_checks (client, due_at);
      create index connection_checks_suspected on connection_checks (due_at) where suspected;
      create index connection_checks_unanswered on connection_checks (client, unanswered_since)
        where unanswered_since is not null;

      -- One replica at a time asks for a client regularly, so that its limit is kept by all together.
      create table sweeps (
        client     text        primary key,
        owner      text,
        epoch      bigint      not null,
        expires_at timestamptz not null
      );

      -- Security events that a provider pushed, so that each counts once. Whom one was about is not
      -- kept: what it did stands in the history of the connection.
      create table security_events (
        client      text        not null,
        jti_hash    bytea       not null, -- SHA-256
        names       text[]      not null, -- of the event types
        effect      text        not null check (effect in ('none', 'suspected', 'ended')),
        issued_at   timestamptz not null, -- by the provider's clock
        received_at timestamptz not null default now(),
        primary key (client, jti_hash)
      );
      create index security_events_by_age on security_events (received_at);
    `);
  },
};
