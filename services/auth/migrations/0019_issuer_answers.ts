import type { Knex } from 'knex';

export const name = 'auth/0019_issuer_answers';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- Moment when each trusted issuer last gave its keys, to whichever replica: API keys of its users are refused after
    -- an hour of silence.
    create table issuer_answers (
      issuer_id   text        primary key,
      answered_at timestamptz not null
    );
  `);
}
