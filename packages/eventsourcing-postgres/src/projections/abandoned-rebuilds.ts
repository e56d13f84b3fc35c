import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { LEASE, projectionLeases } from './lease.js';
import { rebuildTask } from './list-projections.js';
import { dropRebuild } from './rebuild-table.js';

const KEPT_FOR_HOURS = 24;

/**
 * Drops rebuilds that have not moved for a day and that nobody works at, and gives the names of their
 * projections. What they have filled is not kept up with the events, so it would keep a person's data
 * after their account was deleted. Any number of replicas may do so at any time.
 */
export async function dropAbandonedRebuilds(pool: pg.Pool): Promise<readonly string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select name from projection_checkpoints
      where not live and updated_at < now() - make_interval(hours => $1) order by name`,
    [KEPT_FOR_HOURS],
  );
  const dropped: string[] = [];
  for (const { name } of rows) if (await dropUnlessHeld(pool, name)) dropped.push(name);
  return dropped;
}

async function dropUnlessHeld(pool: pg.Pool, name: string): Promise<boolean> {
  const task = rebuildTask(name);
  const lease = projectionLeases(pool, randomUUID(), [task], LEASE.expiryMs);
  const { held } = await lease.renew();
  if (!held.has(task)) return false;
  try {
    // It is asked again how old it is: somebody may have gone on with it, and let go of it again.
    return await dropRebuild(pool, name, KEPT_FOR_HOURS);
  } finally {
    await lease.release();
  }
}
