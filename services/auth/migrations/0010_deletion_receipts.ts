import type { Knex } from 'knex';

export const name = 'auth/0010_deletion_receipts';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- Progress of the deletion of an account. A receipt names nobody, because whoever has its id may read it.
    create table deletion_receipts (
      receipt_id text        primary key check (receipt_id like 'rcp\\_%'),

      -- SHA-256 of the user id, by which the services' reports find it.
      user_hash  bytea       not null unique check (length(user_hash) = 32),
      deleted_at timestamptz not null,

      -- Number of things that each service has deleted, by its name; absent until it has.
      services   jsonb       not null
    );

    create index deletion_receipts_by_age on deletion_receipts (deleted_at);
  `);
}
