import type pg from 'pg';

const ROWS_MAX = 10_000;
const ROUNDS_MAX = 100;

/** Repetitions come within minutes; a relay that was away for a week is an operator's business. */
const IDS = `
delete from consumer_inbox
 where ctid in (select ctid from consumer_inbox
                 where consumer = $1 and seen_at < now() - interval '7 days' limit $2)`;

/** Of a key that still waits they are kept: they say which records were given up on purpose. */
const RESOLVED_LETTERS = `
delete from dead_letters
 where ctid in (select d.ctid from dead_letters d
                 where consumer = $1 and resolved_at < now() - interval '7 days'
                   and not exists (select from parked_keys p
                                    where p.consumer = d.consumer and p.topic = d.topic and p.key = d.key)
                 limit $2)`;

/**
 * Deletes what a consumer need not remember: ids and resolved dead letters that are a week old. Stops
 * after a million of each, and goes on the next time.
 */
export async function prune(pool: pg.Pool, consumer: string): Promise<void> {
  for (const statement of [IDS, RESOLVED_LETTERS]) {
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const { rowCount } = await pool.query(statement, [consumer, ROWS_MAX]);
      if ((rowCount ?? 0) < ROWS_MAX) break;
    }
  }
}
