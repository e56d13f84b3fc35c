import { createIndex } from '@junction/eventsourcing/postgres';
import type { Knex } from 'knex';

export const name = 'auth/0020_operators';
export const inTransaction = false;

/** An index of the operators, who are few among many users. */
export async function up(db: Knex): Promise<void> {
  const operators = `users (created_at, user_id) where role = 'operator'`;
  await createIndex(db, 'users_operators', operators);
}
