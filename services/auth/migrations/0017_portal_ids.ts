import type { Knex } from 'knex';

export const name = 'auth/0017_portal_ids';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- Portal that the token carries on, by whose id its access tokens are refused once it is closed; null while nobody
    -- has opened the link.
    alter table portal_tokens add column portal_id text check (portal_id like 'ptl\\_%');

    create index portal_tokens_of_user on portal_tokens (user_id);
  `);
}
