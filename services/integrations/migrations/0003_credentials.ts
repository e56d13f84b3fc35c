import type { Migration } from '@junction/eventsourcing/postgres';

export const credentials: Migration = {
  name: 'integrations/0003_credentials',

  async up(db) {
    await db.raw(CREDENTIALS);
  },
};

const CREDENTIALS = `
-- Tokens of a live connection, sealed with a data key of their own. A connection without a row has none.
create table credentials (
  connection_id       text        primary key references connections on delete cascade,
  client              text        not null, -- whose tokens they are: google/mailbox
  key_subject         text        not null, -- names the data key; each connect makes a new one
  credential_version  integer     not null,
  access_token        bytea       not null,
  refresh_token       bytea,                -- null: the provider gave none
  -- SHA-512 of the SHA-512 of the refresh token, and of its first characters: security events name a token
  -- so. Null: there is no token, or it is too short.
  refresh_token_hash  bytea,
  refresh_prefix_hash bytea,
  issued_at           timestamptz not null,
  expires_at          timestamptz not null, -- of the access token
  -- Moment of the refresh ahead of expiry. Without a refresh token: of the end of the connection.
  refresh_at          timestamptz not null,

  -- Replica that refreshes right now. The lease spares the provider; a write by a replica that outlived
  -- its lease is refused by the version.
  lease_owner         uuid,
  lease_until         timestamptz,
  failures            integer     not null default 0, -- refreshes in a row
  next_attempt_at     timestamptz,
  -- A refresh was sent and its answer never came: the provider may have put another refresh
  -- token in the place of this one.
  answer_lost         boolean     not null default false,
  -- Moment when the provider first left open, since the last refresh that worked, whether the grant still
  -- stands. After three days of such answers the connection ends.
  unclear_since       timestamptz,
  check ((lease_owner is null) = (lease_until is null))
) with (fillfactor = 80);
-- The queue of refreshes ahead of expiry, one for each client: a hanging provider holds up no other.
create index credentials_due on credentials (client, refresh_at);
create index credentials_by_token on credentials (refresh_token_hash);
create index credentials_by_prefix on credentials (refresh_prefix_hash);

-- Tokens to be revoked at their provider (RFC 7009), kept until that is done.
create table provider_revocations (
  revocation_id uuid        primary key,
  connection_id text,                     -- null: of a connection that never came to be
  user_id       uuid,                     -- null: deleted
  client        text        not null,
  sealed        bytea       not null,     -- with the key ring: its data key is gone
  attempts      integer     not null default 0,
  next_at       timestamptz not null default now(),
  created_at    timestamptz not null default now()
);
create index provider_revocations_due on provider_revocations (next_at);
create index provider_revocations_of on provider_revocations (connection_id);
create index provider_revocations_of_user on provider_revocations (user_id);
`;
