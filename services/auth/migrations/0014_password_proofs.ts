import type { Knex } from 'knex';

export const name = 'auth/0014_password_proofs';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- Moment when a user without a second factor showed the password again in a session; no row: not since it began.
    create table session_passwords (
      session_id text        primary key references sessions on delete cascade,
      proved_at  timestamptz not null
    );
  `);
}
