import type { Knex } from 'knex';

export const name = 'auth/0002_sessions';

export async function up(db: Knex): Promise<void> {
  await db.raw(SESSIONS);
}

const SESSIONS = `
-- Live sessions only: an access token counts while the row of its session is here.
create table sessions (
  session_id text        primary key check (session_id like 'ses\\_%'),
  version    integer     not null check (version > 0),
  started_at timestamptz not null,

  -- A login that races the deletion of its user waits here, and then fails.
  user_id    uuid        not null references users on delete cascade
);

create index sessions_of_user on sessions (user_id, started_at);

-- Device on which a session began, as its user would recognise it. No event holds it; a session without
-- a row was begun by a client that says nothing of itself.
create table session_devices (
  session_id text primary key references sessions on delete cascade,
  device     text not null check (length(device) between 1 and 100)
);

-- A spent token stays until it expires, because only then its reuse differs from a random string.
create table refresh_tokens (
  token_hash       bytea       primary key check (length(token_hash) = 32),
  issued_at        timestamptz not null,
  expires_at       timestamptz not null,
  rotated_at       timestamptz,

  -- Sealed with the key ring, and erased when the reuse window is over.
  successor_sealed bytea       check (rotated_at is not null or successor_sealed is null),

  -- An exchange that races the end of its session waits here, and then fails.
  session_id       text        not null references sessions on delete cascade
);

create index refresh_tokens_of_session on refresh_tokens (session_id, issued_at);
create index refresh_tokens_by_expiry on refresh_tokens (expires_at);
create index refresh_tokens_in_reuse_window on refresh_tokens (rotated_at)
  where successor_sealed is not null;

-- Moment when the second factor was shown last in a session; without a row its user has none.
create table session_factors (
  session_id text        primary key references sessions on delete cascade,
  proved_at  timestamptz not null,

  -- Authentication methods (RFC 8176).
  amr        text[]      not null
);

-- Moment when a user without a second factor showed the password again in a session; no row: not since it began.
create table session_passwords (
  session_id text        primary key references sessions on delete cascade,
  proved_at  timestamptz not null
);

-- Answers of the issuer of a trusted issuer's user when it was asked again. Without a row it has answered
-- once, when the session began.
create table session_confirmations (
  session_id   text        primary key references sessions on delete cascade,

  -- Moment when the issuer last said that the same user is signed in there.
  confirmed_at timestamptz,

  -- Moment when the user was last found signed out there.
  away_at      timestamptz,
  check (confirmed_at is not null or away_at is not null)
);
`;
