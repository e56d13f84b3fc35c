import type pg from 'pg';
import type { ConsumedPartition } from './consumer-offsets.js';

/** A partition that fails, or that no member has reported, for longer than this does not come right by itself soon. */
const LASTING = "interval '1 minute'";

/** Partitions of a topic at which a consumer does not go on, all for the same reason. */
export interface HaltedPartitions extends Pick<ConsumedPartition, 'consumer' | 'topic'> {
  /**
   * `offset_lost`: an operator has to say where to go on. `failing`: nothing was handled for a minute of tries.
   * `stopped`: no member of the group has had them for a minute, as where no replica runs.
   */
  readonly state: 'offset_lost' | 'failing' | 'stopped';
  /** Reason why the offset of the first of them is lost; null for other states. */
  readonly reason: string | null;
  /** Their numbers; none when the topic was never consumed. */
  readonly partitions: readonly number[];
  /** Number of the topic's partitions that were ever consumed. */
  readonly of: number;
}

/** Finds the partitions of these topics at which their consumers do not go on. Reads a row for each partition. */
export async function haltedPartitions(
  pool: pg.Pool,
  consumed: readonly Pick<ConsumedPartition, 'consumer' | 'topic'>[],
): Promise<readonly HaltedPartitions[]> {
  const { rows } = await pool.query<HaltedPartitions>(
    `select * from (
       select consumer, topic, halted.state, (array_agg(o.lost_reason order by partition))[1] as reason,
              array_remove(array_agg(partition order by partition), null) as partitions,
              (sum(count(partition)) over (partition by consumer, topic))::int as of
         from unnest($1::text[], $2::text[]) as consumed (consumer, topic)
         left join consumer_offsets o using (consumer, topic)
         left join consumer_partitions p using (consumer, topic, partition)
        cross join lateral (
          select case when o.lost_reason is not null then 'offset_lost'
                      when coalesce(p.seen_at, '-infinity') < now() - ${LASTING} then 'stopped'
                      when p.failing_since < now() - ${LASTING} then 'failing' end as state) halted
        group by consumer, topic, halted.state) found
      where state is not null order by consumer, topic, state`,
    [consumed.map(({ consumer }) => consumer), consumed.map(({ topic }) => topic)],
  );
  return rows;
}
