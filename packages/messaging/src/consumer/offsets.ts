import { bigints, ints, type Queryable, statement, texts } from '@junction/eventsourcing/postgres';
import type { LogBounds } from '@junction/kafka';
import type pg from 'pg';

/**
 * Error of a transaction that must have no effect, because another member of the group has moved the offset, or an
 * operator has reset it.
 */
export class OffsetMovedError extends Error {
  constructor(topic: string, moves: readonly Pick<OffsetMove, 'partition'>[]) {
    const partitions = moves.map(({ partition }) => partition).join();
    super(`The stored offset of ${topic}/${partitions} is not where this fetch began.`);
    this.name = new.target.name;
  }
}

/** A partition's offset as it is stored. */
export interface StoredOffset {
  readonly offset: bigint;
  /** Id of the topic that the offset counts in; undefined when that is not known. */
  readonly topicId: string | undefined;
  /** Reason why the offset is lost, until a reset. */
  readonly lostReason: string | undefined;
}

interface Row {
  readonly partition: number;
  readonly next_offset: string;
  readonly topic_id: string | null;
  readonly lost_reason: string | null;
}

/** Returns stored offsets by partition; a partition without one starts, and is stored, at the beginning of its log. */
export async function storedOffsets(
  db: pg.Pool,
  consumer: string,
  topic: string,
  logs: ReadonlyMap<number, LogBounds>,
): Promise<ReadonlyMap<number, StoredOffset>> {
  const partitions = [...logs.keys()];
  const bounds = [...logs.values()];
  await db.query(
    `insert into consumer_offsets (consumer, topic, partition, next_offset, topic_id)
     select $1, $2, * from unnest($3::int[], $4::bigint[], $5::text[])
     on conflict do nothing`,
    [
      consumer,
      topic,
      partitions,
      bounds.map(({ low }) => low),
      bounds.map(({ topicId }) => topicId ?? null),
    ],
  );
  const { rows } = await db.query<Row>(
    `select partition, next_offset, topic_id, lost_reason from consumer_offsets
      where consumer = $1 and topic = $2 and partition = any ($3)`,
    [consumer, topic, partitions],
  );
  return new Map(
    rows.map(({ partition, next_offset, topic_id, lost_reason }) => {
      const offset = BigInt(next_offset);
      const lostReason = lost_reason ?? undefined;
      return [partition, { offset, topicId: topic_id ?? undefined, lostReason }];
    }),
  );
}

/** A stored offset beside the log that its partition has. */
export interface ComparedOffset extends StoredOffset, Pick<LogBounds, 'low' | 'high'> {
  readonly partition: number;
  /** True when the comparison brought what is not stored yet. */
  readonly isNews: boolean;
}

/** Compares each offset with its log. An offset without a topic id takes that of the log, when it fits. */
export const compared = (
  stored: ReadonlyMap<number, StoredOffset>,
  logs: ReadonlyMap<number, LogBounds>,
): readonly ComparedOffset[] =>
  [...stored].map(([partition, was]) => {
    const log = logs.get(partition) ?? NO_LOG;
    const lostReason = was.lostReason ?? whyLost(was, log);
    const topicId = was.topicId ?? (lostReason === undefined ? log.topicId : undefined);
    const isNews = topicId !== was.topicId || lostReason !== was.lostReason;
    return { partition, ...log, offset: was.offset, topicId, lostReason, isNews };
  });

const NO_LOG: LogBounds = { topicId: undefined, low: 0n, high: 0n };

function whyLost({ offset, topicId }: StoredOffset, log: LogBounds): string | undefined {
  if (topicId !== undefined && topicId !== log.topicId) {
    const found = log.topicId === undefined ? 'no id' : `the id ${log.topicId}`;
    return `The topic was made anew: the offset counts in the topic with the id ${topicId}, and the topic has ${found}.`;
  }
  if (offset < log.low) {
    return `The offset ${offset} is before the first record that is kept, ${log.low}.`;
  }
  if (offset > log.high) return `The offset ${offset} is behind the end of the log, ${log.high}.`;
  return undefined;
}

/**
 * Stores what a comparison has brought: topic ids of offsets that had none, and reasons of those that are lost. Rejects
 * when one of these offsets was moved since, or reset.
 */
export async function storeCompared(
  db: pg.Pool,
  consumer: string,
  topic: string,
  offsets: readonly ComparedOffset[],
): Promise<void> {
  const news = offsets.filter(({ isNews }) => isNews);
  if (news.length === 0) return;
  const { rowCount } = await db.query(
    `update consumer_offsets o set topic_id = n.topic_id, lost_reason = n.lost_reason
       from unnest($3::int[], $4::bigint[], $5::text[], $6::text[])
              as n (partition, next_offset, topic_id, lost_reason)
      where o.consumer = $1 and o.topic = $2 and o.partition = n.partition
        and o.next_offset = n.next_offset and coalesce(o.topic_id = n.topic_id, o.topic_id is null)`,
    [
      consumer,
      topic,
      news.map(({ partition }) => partition),
      news.map(({ offset }) => offset),
      news.map(({ topicId }) => topicId ?? null),
      news.map(({ lostReason }) => lostReason ?? null),
    ],
  );
  if (rowCount !== news.length) throw new OffsetMovedError(topic, news);
}

/** Move of a partition's stored offset. */
export interface OffsetMove {
  readonly partition: number;
  /** Id of the topic that the records before `to` are of. */
  readonly topicId: string | undefined;
  readonly from: bigint;
  readonly to: bigint;
}

/**
 * Compares and sets all these offsets, or throws OffsetMovedError, also when one of them counts in another topic. The
 * rows stay locked until the transaction ends, so only one member gets past here at a time.
 */
export async function moveOffsets(
  db: Queryable,
  consumer: string,
  topic: string,
  moves: readonly OffsetMove[],
): Promise<void> {
  const { rowCount } = await move(db, offsetMoves(consumer, topic, moves));
  if (rowCount !== moves.length) throw new OffsetMovedError(topic, moves);
}

/** Values of the parameters of MOVE_OFFSETS. */
export const offsetMoves = (consumer: string, topic: string, moves: readonly OffsetMove[]) => ({
  consumer,
  topic,
  partitions: ints(moves.map(({ partition }) => partition)),
  offsets_from: bigints(moves.map(({ from }) => String(from))),
  offsets_to: bigints(moves.map(({ to }) => String(to))),
  topic_ids: texts(moves.map(({ topicId }) => topicId ?? null)),
});

export type OffsetMoves = ReturnType<typeof offsetMoves>;

/** Moves the offsets of `:partitions` that are where they are expected, also as a part of a greater statement. */
export const MOVE_OFFSETS = `
  update consumer_offsets o set next_offset = m.next_offset, updated_at = now()
    from unnest(:partitions::int[], :offsets_from::bigint[], :offsets_to::bigint[], :topic_ids::text[])
           as m (partition, at, next_offset, topic_id)
   where o.consumer = :consumer and o.topic = :topic and o.partition = m.partition and o.next_offset = m.at
     and o.topic_id is not distinct from m.topic_id`;

const move = statement(MOVE_OFFSETS, 'junction_consumer_move_offsets');
