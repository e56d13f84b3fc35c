import type { Knex } from 'knex';

export const name = 'auth/0012_origins';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- A user of a trusted issuer has no address here: the issuer keeps it.
    alter table users
      alter column email drop not null,
      add column origin text,
      add check ((email is null) = (origin is not null));
  `);
}
