import type { Knex } from 'knex';

export const name = 'auth/0013_first_steps';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- Users who have done with the dashboard's first steps, which do not come back. No event: nothing is decided by it.
    create table first_steps_closed (
      user_id uuid primary key references users on delete cascade
    );
  `);
}
