import type { Knex } from 'knex';

export const name = 'auth/0003_api_keys';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- Live keys only: a key counts while its row is here.
    create table api_keys (
      key_id     text        primary key check (key_id like 'key\\_%'),
      version    integer     not null check (version > 0),
      user_id    uuid        not null references users on delete cascade,
      name       text        not null check (length(name) between 1 and 100),
      scopes     text[]      not null,
      created_at timestamptz not null,
      expires_at timestamptz check (expires_at > created_at),

      -- Moment until which the secret before the newest one counts; null: there is none.
      previous_valid_until timestamptz
    );

    create index api_keys_of_user on api_keys (user_id, created_at);

    -- SHA-256 of the whole key. No event may hold it, so it has a table of its own: the newest secret, and
    -- for as long as the owner wanted after a rotation the secret before it.
    create table api_key_secrets (
      key_id         text        not null references api_keys on delete cascade,
      secret_version integer     not null check (secret_version > 0),
      secret_hash    bytea       not null check (length(secret_hash) = 32),
      valid_until    timestamptz,
      primary key (key_id, secret_version)
    );

    create table api_key_uses (
      key_id       text        primary key references api_keys on delete cascade,
      last_used_at timestamptz not null
    );
  `);
}
