import {
  type Event,
  type Projection,
  type RecordedEvent,
  splitStreamId,
} from '@junction/eventsourcing';
import { type ClientBase, escapeIdentifier } from 'pg';
import type { InlineProjection } from './inline-projection.js';

/** Keeps the table of a pure projection: one row for each stream, found by the id part of its name. */
export const rowProjection = <Row extends object, E extends Event>(
  projection: Projection<Row, E>,
): InlineProjection<E> => ({
  async apply(tx, events) {
    for (const [streamId, ours] of byStream(events)) {
      const { aggregate, id } = splitStreamId(streamId);
      if (projection.aggregate !== undefined && projection.aggregate !== aggregate) continue;

      const before = (await find(tx, projection, id)) as Row | undefined;
      let after = before;
      for (const { event, version, recordedAt } of ours) {
        after = projection.evolve(after, event, { streamId, version, recordedAt });
      }
      if (after) await save(tx, projection, id, after);
      else if (before) await remove(tx, projection, id);
    }
  },
});

function byStream<E extends Event>(
  events: readonly RecordedEvent<E>[],
): ReadonlyMap<string, readonly RecordedEvent<E>[]> {
  const streams = new Map<string, RecordedEvent<E>[]>();
  for (const event of events) {
    const ours = streams.get(event.streamId);
    if (ours) ours.push(event);
    else streams.set(event.streamId, [event]);
  }
  return streams;
}

type Place = Pick<Projection<object, Event>, 'table' | 'key'>;

async function find(tx: ClientBase, { table, key }: Place, id: string) {
  // No lock: the head row of the stream is held, and nobody else writes this row.
  const { rows } = await tx.query(`select * from ${name(table)} where ${name(key)} = $1`, [id]);
  return rows[0] as object | undefined;
}

async function save(tx: ClientBase, { table, key }: Place, id: string, row: object) {
  const values = { ...row, [key]: id };
  const columns = Object.keys(values).map(name).join(', ');
  const excluded = Object.keys(values)
    .map((column) => `excluded.${name(column)}`)
    .join(', ');
  // Through a record of the table's own type a list fits both a jsonb column and an array column.
  await tx.query(
    `insert into ${name(table)} (${columns})
     select ${columns} from jsonb_populate_record(null::${name(table)}, $1)
     on conflict (${name(key)}) do update set (${columns}) = row(${excluded})`,
    [JSON.stringify(Object.fromEntries(Object.entries(values).map(asJson)))],
  );
}

async function remove(tx: ClientBase, { table, key }: Place, id: string) {
  await tx.query(`delete from ${name(table)} where ${name(key)} = $1`, [id]);
}

function asJson([column, value]: [string, unknown]): [string, unknown] {
  if (Buffer.isBuffer(value)) return [column, `\\x${value.toString('hex')}`];
  return [column, typeof value === 'bigint' ? value.toString() : value];
}

const name = (identifier: string): string => escapeIdentifier(identifier);
