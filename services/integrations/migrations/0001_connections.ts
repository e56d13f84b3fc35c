import type { Migration } from '@junction/eventsourcing-postgres';

export const connections: Migration = {
  name: 'integrations/0001_connections',

  async up(db) {
    await db.raw(`
      -- One row for each user and provider that was ever connected: reconnecting continues it.
      -- Personal data stand here in clear; the row goes with its user.
      create table connections (
        connection_id      text        primary key,
        user_id            uuid        not null,
        provider           text        not null,
        status             text        not null
          check (status in ('active', 'degraded', 'reconnect_required', 'revoked', 'disconnected')),
        status_reason      text,
        credential_version integer     not null check (credential_version > 0),
        granted_scopes     text[]      not null,
        missing_scopes     text[]      not null,
        account            text        not null,
        account_id         text        not null, -- the provider's sub
        renewable          boolean     not null,
        connected_at       timestamptz not null,
        last_refreshed_at  timestamptz,

        -- Two first connects at once would make two streams: this key lets one through.
        unique (user_id, provider)
      );
    `);
  },

  async down(db) {
    await db.raw('drop table connections');
  },
};
