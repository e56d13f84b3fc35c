import type pg from 'pg';

const ROWS_MAX = 10_000;
const ROUNDS_MAX = 100;

/** Duplicates come within minutes, when a relay or a consumer takes over from another. */
const IDS = `
delete from consumer_inbox
 where ctid in (select ctid from consumer_inbox
                 where consumer = $1 and seen_at < now() - interval '7 days' limit $2)`;

/** Open letters stay, however old: nobody has decided about them. */
const RESOLVED_LETTERS = `
delete from dead_letters
 where ctid in (select ctid from dead_letters
                 where consumer = $1 and resolved_at < now() - interval '7 days' limit $2)`;

/**
 * Deletes what a consumer need not remember: ids and resolved dead letters that are a week old. Stops
 * after a million of each, and goes on the next time.
 */
export async function purge(pool: pg.Pool, consumer: string): Promise<void> {
  for (const statement of [IDS, RESOLVED_LETTERS]) {
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const { rowCount } = await pool.query(statement, [consumer, ROWS_MAX]);
      if ((rowCount ?? 0) < ROWS_MAX) break;
    }
  }
}
