import type { Knex } from 'knex';

export const name = 'auth/0014_trouble_names';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- Host of the webhook, or name of the account at its provider, sealed; null: no notice has named it.
    alter table troubles add column name_sealed bytea;
  `);
}
