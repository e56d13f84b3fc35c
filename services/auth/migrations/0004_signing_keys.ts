import type { Knex } from 'knex';

export const name = 'auth/0004_signing_keys';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- A key is published from its creation, signs from signs_from until a newer key does, and stays
    -- published until published_until. In the time between the first two every verifier fetches the key
    -- before the first token comes; the time between the last two outlives the last token.
    create table signing_keys (
      kid                text        primary key,
      public_jwk         jsonb       not null check (public_jwk -> 'd' is null),

      -- The private key is destroyed once the key is published no more.
      private_jwk_sealed bytea,

      created_at         timestamptz not null,
      signs_from         timestamptz not null check (signs_from >= created_at),
      published_until    timestamptz check (published_until >= created_at),
      check (private_jwk_sealed is not null or published_until is not null)
    );
  `);
}
