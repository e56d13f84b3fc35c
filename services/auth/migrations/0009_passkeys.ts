import type { Knex } from 'knex';

export const name = 'auth/0009_passkeys';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
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
  `);
}
