import type { Migration } from '@junction/eventsourcing-postgres';

export const credentials: Migration = {
  name: 'integrations/0003_credentials',

  async up(db) {
    await db.raw(`
      -- The tokens of a live connection, sealed with a data key of their own. No row, no tokens.
      create table credentials (
        connection_id      text        primary key references connections on delete cascade,
        key_subject        text        not null, -- names the data key; each connect makes a new one
        credential_version integer     not null,
        access_token       bytea       not null,
        refresh_token      bytea,                -- null: the provider gave none
        issued_at          timestamptz not null,
        expires_at         timestamptz not null, -- of the access token

        -- Who refreshes right now. A lease spares the provider; what a holder that outlived its own
        -- may write, the version decides.
        lease_owner        uuid,
        lease_until        timestamptz,
        failures           integer     not null default 0, -- refreshes in a row
        next_attempt_at    timestamptz,
        check ((lease_owner is null) = (lease_until is null))
      ) with (fillfactor = 80);

      -- Tokens to be revoked at their provider (RFC 7009), kept until it has been done.
      create table provider_revocations (
        revocation_id uuid        primary key,
        connection_id text,                     -- null: of a connection that never came to be
        provider      text        not null,
        sealed        bytea       not null,     -- with the key ring: its data key is gone
        attempts      integer     not null default 0,
        next_at       timestamptz not null default now(),
        created_at    timestamptz not null default now()
      );
      create index provider_revocations_due on provider_revocations (next_at);
      create index provider_revocations_of on provider_revocations (connection_id);
    `);
  },

  async down(db) {
    await db.raw('drop table provider_revocations, credentials');
  },
};
