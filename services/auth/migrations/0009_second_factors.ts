import type { Knex } from 'knex';

export const name = 'auth/0009_second_factors';

export async function up(db: Knex): Promise<void> {
  await db.raw(SECOND_FACTORS);
}

const SECOND_FACTORS = `
create table totp_secrets (
  user_id       uuid        primary key references users on delete cascade,

  -- The secret is sealed with the key ring.
  secret_sealed bytea       not null,
  created_at    timestamptz not null,

  -- Null until the user has shown a code of it.
  confirmed_at  timestamptz,

  -- The time step of the last code that was taken: no code counts twice (RFC 6238, section 5.2).
  last_step     bigint      not null default 0
);

-- SHA-256 of codes that each count once.
create table recovery_codes (
  user_id   uuid  not null references users on delete cascade,
  code_hash bytea not null check (length(code_hash) = 32),
  primary key (user_id, code_hash)
);

-- Logins whose password was right, and which wait for the second factor, by the SHA-256 of their token.
create table pending_logins (
  token_hash bytea       primary key check (length(token_hash) = 32),
  user_id    uuid        not null references users on delete cascade,
  tries_left integer     not null check (tries_left >= 0),
  expires_at timestamptz not null
);

create index pending_logins_by_expiry on pending_logins (expires_at);

create table passkeys (
  passkey_id    text        primary key,
  user_id       uuid        not null references users on delete cascade,

  -- Id of the passkey in base64url, as browsers name it.
  credential_id text        not null unique,

  -- Public key as COSE. The private half never leaves the authenticator.
  public_key    bytea       not null,
  counter       bigint      not null,
  transports    text[]      not null,
  name          text        not null check (length(name) between 1 and 100),
  created_at    timestamptz not null,
  last_used_at  timestamptz
);

create index passkeys_of_user on passkeys (user_id, created_at);

-- Challenges that an authenticator has to sign, each once.
create table passkey_challenges (
  challenge_id text        primary key,
  challenge    text        not null,

  -- Null: the user whose passkey signs it signs in.
  user_id      uuid        references users on delete cascade,
  purpose      text        not null check (purpose in ('register', 'authenticate')),
  expires_at   timestamptz not null
);

create index passkey_challenges_by_expiry on passkey_challenges (expires_at);
`;
