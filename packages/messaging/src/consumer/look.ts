import { hostname } from 'node:os';
import type pg from 'pg';
import { type AssignedPartition, partitionKey } from './partition.js';

/** How often a member says how its partitions are, and learns of an offset that was reset. */
export const LOOK_EVERY_MS = 2_000;

/** A partition that no member has spoken of for this long is stopped. */
export const SPOKEN_OF_WITHIN_S = 10;

const OWNER = `${hostname()}/${process.pid}`;

/**
 * Tells the others how these partitions are, and gives those whose stored offset is no longer the one
 * we know: an operator has set it. A batch under way finds that out by itself.
 */
export async function look(
  { pool, group, topicPrefix }: { pool: pg.Pool; group: string; topicPrefix: string },
  partitions: readonly AssignedPartition[],
): Promise<readonly AssignedPartition[]> {
  const before = partitions.map(({ stored }) => stored);
  const topicOf = ({ at }: AssignedPartition): string => at.topic.slice(topicPrefix.length);
  const { rows } = await pool.query<{ topic: string; partition: number; next_offset: string }>({
    name: 'junction_consumer_look',
    text: `
      with mine as (
        select * from unnest($2::text[], $3::int[], $4::text[]) as m (topic, partition, state)
         order by topic, partition
      ), said as (
        insert into consumer_partitions as p (consumer, topic, partition, owner, state, seen_at)
        select $1, topic, partition, $5, state, now() from mine
        on conflict (consumer, topic, partition) do update
          set owner = excluded.owner, state = excluded.state, seen_at = excluded.seen_at
      )
      select topic, partition, next_offset
        from consumer_offsets join mine using (topic, partition) where consumer = $1`,
    values: [
      group,
      partitions.map(topicOf),
      partitions.map(({ at }) => at.partition),
      partitions.map(({ state }) => state),
      OWNER,
    ],
  });
  const found = new Map(rows.map((row) => [partitionKey(row), BigInt(row.next_offset)]));
  return partitions.filter((each, index) => {
    const offset = found.get(partitionKey({ ...each.at, topic: topicOf(each) }));
    const isSettled = each.state === 'running' || each.state === 'offset_lost';
    // What moved while we asked, we moved ourselves.
    const isStill = isSettled && !each.busy && each.stored === before[index];
    return isStill && offset !== undefined && offset !== each.stored;
  });
}
