import { until } from '../clock.js';
import type { World } from './world.js';

const SHARED_WITHIN_MS = 60_000;
/** Shards, of the 48, that have their owner when the sharing counts as done; a few may still move. */
const SHARED_MIN = 40;

/** Resolves once so many replicas have about as many shards each. */
export async function sharedBy({ pool, run }: World, replicas: number): Promise<void> {
  const isShared = async () => {
    const { rowCount } = await pool.query(SHARING, [Math.floor(SHARED_MIN / replicas)]);
    return rowCount === replicas ? true : undefined;
  };
  const patience = { deadlineMs: SHARED_WITHIN_MS, signal: run.signal };
  await until('Sharing the shards', isShared, patience);
}

const SHARING = `
select from shard_leases
 where owner is not null and expires_at > now()
 group by owner having count(*) >= $1`;
