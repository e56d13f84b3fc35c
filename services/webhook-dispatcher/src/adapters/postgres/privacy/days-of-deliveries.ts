import type pg from 'pg';

/** Returns the days (YYYY-MM-DD) that have a partition, oldest first. */
export async function daysOfDeliveries(db: pg.Pool | pg.ClientBase): Promise<readonly string[]> {
  const { rows } = await db.query<{ day: string }>(
    `select to_char(to_date(right(c.relname, 8), 'YYYYMMDD'), 'YYYY-MM-DD') as day
       from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'deliveries'::regclass order by 1`,
  );
  return rows.map((row) => row.day);
}
