import type pg from 'pg';
import type { TopicPartition } from '../kafka/kafka-port.js';

/** Another member of the group was here: whatever this transaction did must not happen. */
export class OffsetMovedError extends Error {
  constructor({ topic, partition }: TopicPartition) {
    super(`The stored offset of ${topic}/${partition} is not where this fetch began.`);
    this.name = new.target.name;
  }
}

/** Stored offsets by partition; one that has none starts, and is stored, at the given one. */
export async function storedOffsets(
  db: pg.Pool,
  consumer: string,
  topic: string,
  beginnings: ReadonlyMap<number, bigint>,
): Promise<ReadonlyMap<number, bigint>> {
  const partitions = [...beginnings.keys()];
  await db.query(
    `insert into consumer_offsets (consumer, topic, partition, next_offset)
     select $1, $2, * from unnest($3::int[], $4::bigint[])
     on conflict do nothing`,
    [consumer, topic, partitions, [...beginnings.values()]],
  );
  const { rows } = await db.query<{ partition: number; next_offset: string }>(
    `select partition, next_offset from consumer_offsets
      where consumer = $1 and topic = $2 and partition = any ($3)`,
    [consumer, topic, partitions],
  );
  return new Map(rows.map(({ partition, next_offset }) => [partition, BigInt(next_offset)]));
}

/** Compare and set. The row stays locked until the transaction ends, so one member is in here. */
export async function moveOffset(
  db: pg.Pool | pg.ClientBase,
  consumer: string,
  at: TopicPartition,
  from: bigint,
  to: bigint,
): Promise<void> {
  const { rowCount } = await db.query({
    name: 'junction_consumer_move_offset',
    text: `
      update consumer_offsets set next_offset = $5, updated_at = now()
       where consumer = $1 and topic = $2 and partition = $3 and next_offset = $4`,
    values: [consumer, at.topic, at.partition, from, to],
  });
  if (rowCount !== 1) throw new OffsetMovedError(at);
}
