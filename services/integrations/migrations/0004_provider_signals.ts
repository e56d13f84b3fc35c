import type { Migration } from '@junction/eventsourcing/postgres';

export const providerSignals: Migration = {
  name: 'integrations/0004_provider_signals',

  async up(db) {
    await db.raw(`
      -- Moment when the provider is asked next whether a connection still stands. The rows lie beside the
      -- credentials, so that asking often does not rewrite those, and are deleted with them.
      create table connection_checks (
        connection_id    text        primary key references credentials on delete cascade,
        client           text        not null,
        due_at           timestamptz not null,
        -- True: something suggests that the connection ended. The provider is then asked, also where nobody asks
        -- regularly.
        suspected        boolean     not null default false,
        -- Moment since which a check has been due that was tried without an answer. Null: the last was answered.
        unanswered_since timestamptz
      ) with (fillfactor = 80);
      create index connection_checks_due on connection_checks (client, due_at);
      create index connection_checks_suspected on connection_checks (due_at) where suspected;
      create index connection_checks_unanswered on connection_checks (client, unanswered_since)
        where unanswered_since is not null;

      -- Replica that asks for a client regularly: a single one at a time, so that all together keep its limit.
      create table sweeps (
        client     text        primary key,
        owner      text,
        epoch      bigint      not null,
        expires_at timestamptz not null
      );

      -- Security events that a provider pushed, so that each counts once. The account is not kept here: the
      -- effect stands in the history of the connection.
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
