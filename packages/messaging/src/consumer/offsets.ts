import type pg from 'pg';

/** Another member of the group was here: whatever this transaction did must not happen. */
export class OffsetMovedError extends Error {
  constructor(topic: string, moves: readonly OffsetMove[]) {
    const partitions = moves.map(({ partition }) => partition).join();
    super(`The stored offset of ${topic}/${partitions} is not where this fetch began.`);
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

/** From where to where the stored offset of a partition goes. */
export interface OffsetMove {
  readonly partition: number;
  readonly from: bigint;
  readonly to: bigint;
}

/**
 * Compare and set, all of them or OffsetMovedError. The rows stay locked until the transaction ends, so one
 * member is in here.
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
