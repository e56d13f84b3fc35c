import { AppError } from '@junction/errors';
import { inTransaction } from '@junction/eventsourcing/postgres';
import { type KafkaPort, type LogBounds, topicName } from '@junction/kafka';
import type pg from 'pg';
import type { PartitionState } from './partition.js';
import { REPORTED_WITHIN_S } from './report-partitions.js';

export interface ConsumedPartition {
  /** Group of the consumer. */
  readonly consumer: string;
  /** Topic without the prefix. */
  readonly topic: string;
  readonly partition: number;
}

export interface ConsumerPartition extends ConsumedPartition {
  /** Offset at which the consumer goes on. */
  readonly offset: bigint;
  /** End of the log; undefined when Kafka did not answer. */
  readonly end: bigint | undefined;
  readonly lag: bigint | undefined;
  /** State of the partition. `stopped`: no member has reported the partition for ten seconds. */
  readonly state: PartitionState | 'stopped';
  /** Reason why the offset is lost, also while the partition is stopped. */
  readonly reason: string | undefined;
  /** Member that has the partition. */
  readonly owner: string | undefined;
}

export type ResetTarget =
  | { readonly to: 'beginning' | 'end' }
  | { readonly to: 'offset'; readonly offset: bigint }
  /** Resets to the first record from `time` on. */
  | { readonly to: 'time'; readonly time: Date };

export interface ResetResult extends ConsumedPartition {
  readonly from: bigint;
  readonly offset: bigint;
  /** Records from the offset to the end of the log. */
  readonly records: bigint;
}

export interface OffsetContext {
  readonly pool: pg.Pool;
  readonly kafka: KafkaPort;
  readonly topicPrefix: string;
}

const STATE = `case when p.seen_at > now() - ${REPORTED_WITHIN_S} * interval '1 second'
                    then p.state else 'stopped' end as state`;

/** Lists every partition that was ever consumed with this database, and its offset. */
export async function listConsumers({
  pool,
  kafka,
  topicPrefix,
}: OffsetContext): Promise<readonly ConsumerPartition[]> {
  const { rows } = await pool.query<Row>(
    `select consumer, topic, partition, o.next_offset, o.lost_reason, p.owner, ${STATE}
       from consumer_offsets o left join consumer_partitions p using (consumer, topic, partition)
      order by consumer, topic, partition`,
  );
  const topics = [...new Set(rows.map(({ topic }) => topic))];
  const bounds = new Map(
    await Promise.all(
      topics.map(async (topic) => {
        const name = topicName(topicPrefix, topic);
        const found = await kafka
          .admin()
          .logBounds(name)
          .catch(() => undefined);
        return [topic, found] as const;
      }),
    ),
  );
  return rows.map(({ consumer, topic, partition, next_offset, lost_reason, state, owner }) => {
    const offset = BigInt(next_offset);
    const end = bounds.get(topic)?.get(partition)?.high;
    const lag = end === undefined ? undefined : end > offset ? end - offset : 0n;
    const by = state === 'stopped' ? undefined : (owner ?? undefined);
    const reason = lost_reason ?? undefined;
    return { consumer, topic, partition, offset, end, lag, state, reason, owner: by };
  });
}

interface Row extends ConsumedPartition {
  readonly next_offset: string;
  readonly lost_reason: string | null;
  readonly state: ConsumerPartition['state'];
  readonly owner: string | null;
}

/**
 * Sets the stored offset of a partition. The member that has the partition follows within seconds. Records that are
 * read again are handled again, unless the consumer drops duplicates; records that are left out are never handled.
 *
 * @throws AppError `partition_unknown` for a partition that was never consumed, `offset_outside_log`, and
 * `partition_consumed` for a partition that is consumed, unless its offset is lost or `force` is set.
 */
export async function resetOffset(
  { pool, kafka, topicPrefix }: OffsetContext,
  at: ConsumedPartition,
  target: ResetTarget,
  { force = false } = {},
): Promise<ResetResult> {
  const { consumer, topic, partition } = at;
  // Kafka takes a topic that nobody has for a failure of its own, so it is not asked about one.
  const known = await pool.query(
    'select from consumer_offsets where consumer = $1 and topic = $2 and partition = $3::bigint',
    [consumer, topic, partition],
  );
  if (known.rowCount === 0) throw unknownPartition(at);
  const { offset, high, topicId } = await resolveTarget(
    kafka,
    topicName(topicPrefix, topic),
    partition,
    target,
  );

  return inTransaction(pool, async (tx) => {
    // A batch under way holds the row for as long as it lasts.
    await tx.query(`set local lock_timeout = '10s'`);
    const { rows } = await tx.query<Pick<Row, 'next_offset' | 'lost_reason' | 'state'>>(
      `select o.next_offset, o.lost_reason, ${STATE}
         from consumer_offsets o left join consumer_partitions p using (consumer, topic, partition)
        where consumer = $1 and topic = $2 and partition = $3 for update of o`,
      [consumer, topic, partition],
    );
    const [row] = rows;
    if (!row) throw unknownPartition(at);
    // A member reports every other second, so right after a reset it may still be said to have lost the offset.
    if (!force && row.state !== 'stopped' && row.lost_reason === null) {
      const doing = row.state === 'offset_lost' ? 'it was reset just now' : row.state;
      throw new AppError(
        'partition_consumed',
        `${consumer} is consuming ${topic}/${partition} (${doing}): stop it first, or force it.`,
      );
    }
    await tx.query(
      `update consumer_offsets
          set next_offset = $4, topic_id = $5, lost_reason = null, updated_at = now()
        where consumer = $1 and topic = $2 and partition = $3`,
      [consumer, topic, partition, offset, topicId ?? null],
    );
    const from = BigInt(row.next_offset);
    return { consumer, topic, partition, from, offset, records: high - offset };
  });
}

async function resolveTarget(
  kafka: KafkaPort,
  topic: string,
  partition: number,
  target: ResetTarget,
): Promise<LogBounds & { readonly offset: bigint }> {
  const time = target.to === 'time' ? target.time : undefined;
  const bounds = (await kafka.admin().logBounds(topic, time)).get(partition);
  if (!bounds) throw new AppError('partition_unknown', `${topic} has no such partition.`);
  const { low, high, inTime = high } = bounds;
  const offsets = { beginning: low, end: high, time: inTime };
  const offset = target.to === 'offset' ? insideLog(target.offset, bounds) : offsets[target.to];
  return { ...bounds, offset };
}

function insideLog(offset: bigint, { low, high }: LogBounds): bigint {
  if (offset >= low && offset <= high) return offset;
  const message = `offset must be within the log, ${low} to ${high}.`;
  throw new AppError('offset_outside_log', message, {
    fields: [{ field: 'offset', code: 'outside_log', message }],
  });
}

const unknownPartition = ({ consumer, topic, partition }: ConsumedPartition): AppError =>
  new AppError('partition_unknown', `${consumer} has never consumed ${topic}/${partition}.`);
