import type { Knex } from 'knex';

export const name = 'auth/0020_operators';
export const inTransaction = false;

/** An index of the operators, who are few among many users. */
export async function up(db: Knex): Promise<void> {
  // A run that was ended may have left an invalid one.
  await db.raw('drop index if exists users_operators');
  await db.raw(
    `create index concurrently users_operators on users (created_at, user_id) where role = 'operator'`,
  );
}
