import type pg from 'pg';
import { escapeIdentifier as name } from 'pg';
import type { Event } from '../../index.js';
import { CATEGORY } from '../store/read-all.js';
import { inTransaction } from '../transaction.js';
import { type Checkpoint, type CheckpointRow, checkpointOf } from './checkpoint.js';
import type { RowProjection } from './row-projection.js';

/** Returns the name of the table in which a rebuild fills the next version, until that version takes over. */
export const rebuildTable = (table: string, version: number): string => `${table}_v${version}`;

/** Returns the rebuild that was broken off, to resume it; or a new one, from the first event. */
export async function openRebuild<E extends Event>(
  pool: pg.Pool,
  projection: RowProjection<E>,
): Promise<Checkpoint> {
  return inTransaction(pool, async (tx) => {
    const live = await liveVersion(tx, projection.table);
    const { rows } = await tx.query<CheckpointRow>(
      'select * from projection_checkpoints where name = $1 and not live',
      [projection.table],
    );
    return rows[0] ? checkpointOf(rows[0]) : beginRebuild(tx, projection, live + 1);
  });
}

/** Deletes the table of a rebuild that has not moved for so many hours. Returns whether there was such a rebuild. */
export async function deleteRebuildTable(
  pool: pg.Pool,
  table: string,
  unmovedHours = 0,
): Promise<boolean> {
  return inTransaction(pool, async (tx) => {
    const { rows } = await tx.query<{ version: number }>(
      `delete from projection_checkpoints
        where name = $1 and not live and updated_at <= now() - make_interval(hours => $2)
        returning version`,
      [table, unmovedHours],
    );
    for (const { version } of rows) {
      await tx.query(`drop table if exists ${name(rebuildTable(table, version))}`);
    }
    return rows.length > 0;
  });
}

/** Returns the version that answers reads. An inline projection is version 1 until its first rebuild. */
async function liveVersion(tx: pg.ClientBase, table: string): Promise<number> {
  await tx.query(
    `insert into projection_checkpoints (name, version, live)
     select $1, 1, true where not exists (select from projection_checkpoints where name = $1 and live)`,
    [table],
  );
  const { rows } = await tx.query<{ version: number }>(
    'select version from projection_checkpoints where name = $1 and live',
    [table],
  );
  return rows[0]?.version ?? 1;
}

async function beginRebuild<E extends Event>(
  tx: pg.ClientBase,
  { table, key }: RowProjection<E>,
  version: number,
): Promise<Checkpoint> {
  const beside = rebuildTable(table, version);
  // The new table has the key as its only index: a unique value that one stream gives up and another takes over may
  // come in the other order here. The switch checks that values are unique.
  await tx.query(`
    create table ${name(beside)} (
      like ${name(table)} including defaults including constraints including generated
                          including storage,
      primary key (${name(key)})
    )`);
  const { rows } = await tx.query<CheckpointRow>(
    `insert into projection_checkpoints (name, version, columns) values ($1, $2, $3) returning *`,
    [table, version, [key]],
  );
  if (!rows[0]) throw new Error(`The rebuild of ${table} was not begun.`);
  return checkpointOf(rows[0]);
}

/** Returns how many events a rebuild has to read from its checkpoint on. */
export async function countEvents<E extends Event>(
  pool: pg.Pool,
  { aggregate }: RowProjection<E>,
  { at }: Checkpoint,
): Promise<number> {
  const { rows } = await pool.query<{ count: string }>(
    `select count(*) from events
      where ($1::text is null or ${CATEGORY} = $1) and (tx, position) > ($2::xid8, $3::bigint)`,
    [aggregate ?? null, at.tx, at.position],
  );
  return Number(rows[0]?.count ?? 0);
}
