import type { Knex } from 'knex';

export const name = 'auth/0015_mailed_links';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- Token that token_hash is of, sealed with the key ring: asked for again while it counts, the same link is mailed.
    -- A version that does not know of it changes token_hash alone, so the hash that was sealed is kept beside it.
    alter table mailed_tokens
      add column sealed_hash  bytea unique check (length(sealed_hash) = 32),
      add column token_sealed bytea,
      add check ((sealed_hash is null) = (token_sealed is null));
  `);
}
