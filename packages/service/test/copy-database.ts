import type { Pool } from 'pg';

/**
 * Copies a database as a dump and its restore do, from one cluster to another that has the same schema: every row of
 * every table, and the position of each sequence. Transaction ids within rows come along; the cluster's own counter
 * does not.
 */
export async function copyDatabase(from: Pool, to: Pool): Promise<void> {
  const client = await to.connect();
  try {
    // Disables triggers, as a restore does: rows are copied as they were once written.
    await client.query('begin; set local session_replication_role = replica');
    for (const { table, columns } of await tablesOf(from)) {
      const { rows } = await from.query<{ rows: string }>(
        `select coalesce(json_agg(t), '[]')::text as rows from ${table} t`,
      );
      await client.query(`truncate ${table}`);
      await client.query(
        `insert into ${table} (${columns}) overriding system value
         select ${columns} from json_populate_recordset(null::${table}, $1)`,
        [rows[0]?.rows],
      );
    }
    const sequences = await from.query<{ name: string; last: string }>(
      `select format('%I.%I', schemaname, sequencename) as name, last_value as last
         from pg_sequences where last_value is not null`,
    );
    for (const { name, last } of sequences.rows) {
      await client.query('select setval($1, $2)', [name, last]);
    }
    await client.query('commit');
  } finally {
    client.release();
  }
}

/** Partitions go with the table they are of, generated columns are generated again. */
async function tablesOf(pool: Pool): Promise<readonly { table: string; columns: string }[]> {
  const { rows } = await pool.query<{ table: string; columns: string }>(
    `select c.oid::regclass::text as table, string_agg(quote_ident(attname), ', ') as columns
       from pg_class c join pg_attribute a on a.attrelid = c.oid
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
        and attnum > 0 and not attisdropped and attgenerated = ''
      group by c.oid`,
  );
  return rows;
}
