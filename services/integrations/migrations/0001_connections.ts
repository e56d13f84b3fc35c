import type { Migration } from '@junction/eventsourcing/postgres';

export const connections: Migration = {
  name: 'integrations/0001_connections',

  async up(db) {
    await db.raw(`
      -- A row for each account that a user ever connected: connecting it again continues the row.
      -- Personal data stand here in clear; the row is deleted with its user.
      create table connections (
        connection_id       text        primary key,
        user_id             uuid        not null,
        identity_provider   text        not null,
        provider            text        not null, -- mailbox or calendar
        status              text        not null
          check (status in ('active', 'degraded', 'reconnect_required', 'revoked', 'disconnected')),
        status_reason       text,
        credential_version  integer     not null check (credential_version > 0), -- of the last connect
        granted_scopes      text[]      not null,                                -- then
        missing_scopes      text[]      not null,
        account             text        not null,
        account_id          text        not null, -- the provider's sub
        renewable           boolean     not null,
        connected_at        timestamptz not null,
        version             integer     not null, -- of its stream
        -- State of the revocation at the provider, for a connection that its user ended here.
        provider_revocation text
          check (provider_revocation in ('pending', 'done', 'unsupported', 'failed')),
        primary_at          timestamptz, -- null: it was never made the primary one of its kind

        -- Two first connects at once would make two streams: this key lets one through.
        unique (user_id, provider, identity_provider, account_id)
      );
      create index connections_of_account on connections (identity_provider, provider, account_id);

      -- Refreshes that worked, for the history and for the scopes that are granted now.
      create table refreshes (
        connection_id      text        not null references connections on delete cascade,
        credential_version integer     not null,
        lease_owner        uuid        not null, -- tells a repeated save from another one
        at                 timestamptz not null,
        expires_at         timestamptz not null,
        granted_scopes     text[]      not null,
        missing_scopes     text[]      not null,
        primary key (connection_id, credential_version)
      );
      create index refreshes_by_age on refreshes (at);
    `);
  },
};
