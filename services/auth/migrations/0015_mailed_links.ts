import type { Knex } from 'knex';

export const name = 'auth/0015_mailed_links';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- Token that token_hash is of, sealed with the key ring: asked for again while it counts, the same link is mailed.
    -- A version that does not know of it changes token_hash alone, so the hash that was sealed is kept beside it.
    alter table mailed_tokens
      add column sealed_hash  bytea unique check (length(sealed_hash) = 32),
      add column token_sealed bytea,

      -- Moment when that token was made: mailed again and again, it would count without end.
      add column made_at      timestamptz,
      add check ((sealed_hash is null) = (token_sealed is null));
  `);
}
