import type { ClientBase } from 'pg';

/** How many rows of a table this transaction has looked at so far, by any plan. */
export async function rowsRead(tx: ClientBase, table: string): Promise<number> {
  const { rows } = await tx.query<{ read: number }>(
    `select (seq_tup_read + idx_tup_fetch)::int as read
       from pg_stat_xact_user_tables where relid = $1::regclass`,
    [table],
  );
  return rows[0]?.read ?? 0;
}
