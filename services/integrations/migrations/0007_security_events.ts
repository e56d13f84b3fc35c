import type { Migration } from '@junction/eventsourcing-postgres';

export const securityEvents: Migration = {
  name: 'integrations/0007_security_events',

  async up(db) {
    await db.raw(`
      -- Security events that a provider pushed, so that each counts once. Whom one was about is not
      -- kept: what it did stands in the history of the connection.
      create table security_events (
        provider    text        not null,
        jti_hash    bytea       not null, -- SHA-256
        names       text[]      not null, -- of the event types
        effect      text        not null check (effect in ('none', 'doubted', 'ended')),
        issued_at   timestamptz not null, -- by the provider's clock
        received_at timestamptz not null default now(),
        primary key (provider, jti_hash)
      );
      create index security_events_by_age on security_events (received_at);
      create index connections_of_account on connections (provider, account_id);
    `);
  },

  async down(db) {
    await db.raw('drop index connections_of_account; drop table security_events');
  },
};
