import { hostname } from 'node:os';
import type { TopicPartition } from '@junction/kafka';
import type pg from 'pg';
import { type AssignedPartition, partitionKey } from './partition.js';

/** Interval at which a member reports its partitions, and learns of an offset that was reset. */
export const REPORT_EVERY_MS = 2_000;

/** A partition that no member has reported for this long is stopped. */
export const REPORTED_WITHIN_S = 10;

const SECOND_MS = 1_000;

const OWNER = `${hostname()}/${process.pid}`;

/**
 * Writes the state of these partitions for operators, and returns the partitions whose stored offset an operator has
 * reset. A partition with a batch under way finds a reset out by itself.
 */
export async function reportPartitions(
  { pool, group, topicPrefix }: { pool: pg.Pool; group: string; topicPrefix: string },
  partitions: readonly AssignedPartition[],
): Promise<readonly AssignedPartition[]> {
  const before = partitions.map(({ stored, state }) => ({ stored, state }));
  const topicOf = ({ at }: AssignedPartition): string => at.topic.slice(topicPrefix.length);
  const { rows } = await pool.query<Row>({
    name: 'junction_consumer_report',
    text: `
      with mine as (
        select topic, partition, state, now() - make_interval(secs => failing_s) as failing_since
          from unnest($2::text[], $3::int[], $4::text[], $6::float8[]) as m (topic, partition, state, failing_s)
         order by topic, partition
      ), reported as (
        insert into consumer_partitions as p (consumer, topic, partition, owner, state, failing_since, seen_at)
        select $1, topic, partition, $5, state, failing_since, now() from mine
        on conflict (consumer, topic, partition) do update
          set owner = excluded.owner, state = excluded.state, failing_since = excluded.failing_since,
              seen_at = excluded.seen_at
      )
      select topic, partition, next_offset, topic_id, lost_reason is not null as is_lost
        from consumer_offsets join mine using (topic, partition) where consumer = $1`,
    values: [
      group,
      partitions.map(topicOf),
      partitions.map(({ at }) => at.partition),
      partitions.map(({ state }) => state),
      OWNER,
      partitions.map(({ failingSinceMs: sinceMs }) =>
        sinceMs === undefined ? null : (performance.now() - sinceMs) / SECOND_MS,
      ),
    ],
  });
  const found = new Map(rows.map((row) => [partitionKey(row), row]));
  return partitions.filter((each, index) => {
    const row = found.get(partitionKey({ ...each.at, topic: topicOf(each) }));
    const isSettled = each.state === 'running' || each.state === 'offset_lost';
    // An offset that moved during the query was moved by this member.
    const { stored, state } = before[index] ?? {};
    const isStill = isSettled && !each.busy && each.stored === stored && each.state === state;
    return isStill && row !== undefined && wasReset(each, row);
  });
}

interface Row extends TopicPartition {
  readonly next_offset: string;
  readonly topic_id: string | null;
  readonly is_lost: boolean;
}

const wasReset = ({ stored, topicId, state }: AssignedPartition, row: Row): boolean =>
  BigInt(row.next_offset) !== stored ||
  (row.topic_id ?? undefined) !== topicId ||
  row.is_lost !== (state === 'offset_lost');
