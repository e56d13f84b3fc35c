import type { Knex } from 'knex';

export const name = 'auth/0005_attempts';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- How much of a limit is used, until when (milliseconds since 1970). Shared by all replicas, so no limit grows with
    -- their number. Keys are hashes: nobody who reads this table learns who tried to log in from where.
    create table attempts (
      key    varchar(255) primary key,
      points integer      not null default 0,
      expire bigint
    );

    create index attempts_by_expiry on attempts (expire);
  `);
}
