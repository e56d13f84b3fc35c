import type { Knex } from 'knex';

export const name = 'auth/0015_session_confirmations';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- Answers of the issuer of a trusted issuer's user when it was asked again. Without a row it has answered
    -- once, when the session began.
    create table session_confirmations (
      session_id   text        primary key references sessions on delete cascade,

      -- Moment when the issuer last said that the same user is signed in there.
      confirmed_at timestamptz,

      -- Moment when the user was last found signed out there.
      away_at      timestamptz,
      check (confirmed_at is not null or away_at is not null)
    );
  `);
}
