import type pg from 'pg';
import { rebuildLeases } from './lease.js';
import { deleteRebuildTable } from './rebuild-table.js';

const KEPT_FOR_HOURS = 24;

/**
 * Purges rebuilds that have not moved for a day and that no process works at, and returns the names of their
 * projections. The tables of such rebuilds do not follow the events, so they would keep a person's data after the
 * account was deleted. Any number of replicas may call this function at any time.
 */
export async function purgeRebuilds(pool: pg.Pool): Promise<readonly string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select name from projection_checkpoints
      where not live and updated_at < now() - make_interval(hours => $1) order by name`,
    [KEPT_FOR_HOURS],
  );
  const purged: string[] = [];
  for (const { name } of rows) if (await deleteUnlessHeld(pool, name)) purged.push(name);
  return purged;
}

async function deleteUnlessHeld(pool: pg.Pool, name: string): Promise<boolean> {
  const leases = rebuildLeases(pool);
  if ((await leases.hold([name])).length === 0) return false;
  try {
    // The age is checked again: the rebuild may have gone on, and been broken off, meanwhile.
    return await deleteRebuildTable(pool, name, KEPT_FOR_HOURS);
  } finally {
    await leases.release([name]);
  }
}
