import type { Knex } from 'knex';

export const name = 'auth/0005_attempts';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- Used part of each limit, and until when it counts (milliseconds since 1970). All replicas share the rows,
    -- so no limit grows with their number. Keys are hashes, which hide who tried to log in from where.
    create table attempts (
      key    varchar(255) primary key,
      points integer      not null default 0,
      expire bigint
    );

    create index attempts_by_expiry on attempts (expire);
  `);
}
