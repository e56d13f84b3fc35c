import { eventually } from './eventually.js';
import type { TestDatabase } from './use-database.js';

/** Milliseconds that are fewer than a statement may take, whoever waits for it. */
const DEADLINE = { deadlineMs: 20_000 };

/**
 * Hangs up on a request while its statement waits in the database for a table, and returns how many statements still
 * wait for it: none as soon as the statement has ended before it could go on. Nothing but the request may read the
 * table meanwhile.
 */
export async function hangUpWhileReading(
  { pool }: Pick<TestDatabase, 'pool'>,
  table: string,
  ask: (signal: AbortSignal) => Promise<unknown>,
): Promise<number> {
  const client = await pool.connect();
  const waiting = async (count: number): Promise<number> => {
    const { rowCount } = await client.query(
      `select from pg_locks l join pg_database d on d.oid = l.database
        where datname = current_database() and relation = $1::regclass and not granted`,
      [table],
    );
    if (rowCount !== count) throw new Error(`${rowCount} statements wait for ${table}.`);
    return count;
  };
  try {
    await client.query(`begin; lock table only ${table} in access exclusive mode`);
    const hangingUp = new AbortController();
    const asked = ask(hangingUp.signal).catch((error: unknown) => error);
    await eventually(() => waiting(1));
    hangingUp.abort();
    await asked;
    return await eventually(() => waiting(0), DEADLINE);
  } finally {
    await client.query('rollback');
    client.release();
  }
}
