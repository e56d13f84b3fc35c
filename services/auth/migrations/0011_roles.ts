import type { Knex } from 'knex';

export const name = 'auth/0011_roles';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table users
      add column role text not null default 'user' check (role in ('user', 'operator'));

    -- Serves the list of users, which operators read page by page.
    create index users_by_age on users (created_at, user_id);
  `);
}
