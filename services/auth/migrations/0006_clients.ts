import type { Knex } from 'knex';

export const name = 'auth/0006_clients';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- Clients that operators registered and have not revoked; those of SERVICE_ACCOUNTS_FILE are not here.
    create table clients (
      client_id  text        primary key check (client_id like 'cli\\_%'),
      version    integer     not null check (version > 0),
      name       text        not null check (length(name) between 1 and 100),
      grants     jsonb       not null,

      -- Public keys alone, for private_key_jwt.
      jwks       jsonb       check (not jsonb_path_exists(jwks, '$.keys[*].d')),
      created_at timestamptz not null
    );

    -- SHA-256 of the newest secret, and of the secret before it for as long as the operator wanted.
    create table client_secrets (
      client_id      text        not null references clients on delete cascade,
      secret_version integer     not null check (secret_version > 0),
      secret_hash    bytea       not null check (length(secret_hash) = 32),
      valid_until    timestamptz,
      primary key (client_id, secret_version)
    );

    -- Assertions that were shown (RFC 7523, section 3: each jti once), until they expire. SHA-256 of client and jti.
    create table client_assertions (
      assertion_hash bytea       primary key check (length(assertion_hash) = 32),
      expires_at     timestamptz not null
    );

    create index client_assertions_by_expiry on client_assertions (expires_at);
  `);
}
