import type pg from 'pg';

/** Error of a transaction that must have no effect, because another member of the group has moved the offset. */
export class OffsetMovedError extends Error {
  constructor(topic: string, moves: readonly OffsetMove[]) {
    const partitions = moves.map(({ partition }) => partition).join();
    super(`The stored offset of ${topic}/${partitions} is not where this fetch began.`);
    this.name = new.target.name;
  }
}

/** Returns stored offsets by partition; a partition without one starts, and is stored, at the given offset. */
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

/** Move of a partition's stored offset. */
export interface OffsetMove {
  readonly partition: number;
  readonly from: bigint;
  readonly to: bigint;
}

/**
 * Compares and sets all these offsets, or throws OffsetMovedError. The rows stay locked until the transaction ends, so
 * only one member gets past here at a time.
 */
export async function moveOffsets(
  db: pg.Pool | pg.ClientBase,
  consumer: string,
  topic: string,
  moves: readonly OffsetMove[],
): Promise<void> {
  const { rowCount } = await db.query({
    name: 'junction_consumer_move_offsets',
    text: `
      update consumer_offsets o set next_offset = m.next_offset, updated_at = now()
        from unnest($3::int[], $4::bigint[], $5::bigint[]) as m (partition, at, next_offset)
       where o.consumer = $1 and o.topic = $2 and o.partition = m.partition and o.next_offset = m.at`,
    values: [
      consumer,
      topic,
      moves.map(({ partition }) => partition),
      moves.map(({ from }) => from),
      moves.map(({ to }) => to),
    ],
  });
  if (rowCount !== moves.length) throw new OffsetMovedError(topic, moves);
}
