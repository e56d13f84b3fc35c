import type { ClientBase } from 'pg';

/** Returns how many rows of a table some work in this transaction reads, by any plan. */
export async function rowsRead(
  tx: ClientBase,
  table: string,
  work: () => Promise<unknown>,
): Promise<number> {
  const before = await counted(tx, table);
  await work();
  return (await counted(tx, table)) - before;
}

/** Counts those of the connection's transactions just before as well: the server takes note now and then. */
async function counted(tx: ClientBase, table: string): Promise<number> {
  const { rows } = await tx.query<{ read: number }>(
    `select (seq_tup_read + idx_tup_fetch)::int as read
       from pg_stat_xact_user_tables where relid = $1::regclass`,
    [table],
  );
  return rows[0]?.read ?? 0;
}
