import type pg from 'pg';

/** How many positions a partition has: what the migration of `events` says. */
export const PARTITION_SIZE = 10_000_000;

/** The next event gets the position after this one. */
export async function moveOnTo(pool: pg.Pool, position: number): Promise<void> {
  await pool.query(`select setval(pg_get_serial_sequence('events', 'position'), $1)`, [position]);
}
