import {
  type Event,
  type Projection,
  type RecordedEvent,
  splitStreamId,
} from '@junction/eventsourcing';
import type { ClientBase } from 'pg';
import type { InlineProjection } from './inline-projection.js';
import { deleteRows, findRows, saveRows } from './projection-rows.js';

/** A pure projection with the table that holds it: one row for each stream. */
export interface RowProjection<E extends Event> extends InlineProjection<E> {
  /** Also its name. */
  readonly table: string;
  /** The column that holds the id part of `<aggregate>-<id>`. */
  readonly key: string;
  /** Only streams of this aggregate are shown to it; undefined: all. */
  readonly aggregate: string | undefined;
  /** Applies events to `table`, which is its own or one with the same columns. Gives those it wrote. */
  applyTo(
    tx: ClientBase,
    table: string,
    events: readonly RecordedEvent<E>[],
  ): Promise<readonly string[]>;
}

/** Keeps the table of a pure projection: one row for each stream, found by the id part of its name. */
export function rowProjection<Row extends object, E extends Event>(
  projection: Projection<Row, E>,
): RowProjection<E> {
  const { table, key, aggregate } = projection;
  const applyTo: RowProjection<E>['applyTo'] = async (tx, into, events) => {
    const streams = byStream(events, aggregate);
    if (streams.size === 0) return [];
    const place = { table: into, key };
    const rows = await findRows(tx, place, [...streams.keys()]);

    const saved: object[] = [];
    const removed: string[] = [];
    for (const [id, ours] of streams) {
      const before = rows.get(id) as Row | undefined;
      let after = before;
      for (const { event, streamId, version, recordedAt } of ours) {
        after = projection.evolve(after, event, { streamId, version, recordedAt });
      }
      if (after) saved.push({ ...after, [key]: id });
      else if (before) removed.push(id);
    }
    // What is removed may hold a value that must be unique, and that one of the others takes over.
    await deleteRows(tx, place, removed);
    return saveRows(tx, place, saved);
  };

  return {
    table,
    key,
    aggregate,
    applyTo,
    apply: async (tx, events) => void (await applyTo(tx, table, events)),
  };
}

/** By the id part of the stream, which is unique within an aggregate. */
function byStream<E extends Event>(
  events: readonly RecordedEvent<E>[],
  wanted: string | undefined,
): ReadonlyMap<string, readonly RecordedEvent<E>[]> {
  const streams = new Map<string, RecordedEvent<E>[]>();
  for (const event of events) {
    const { aggregate, id } = splitStreamId(event.streamId);
    if (wanted !== undefined && wanted !== aggregate) continue;
    const ours = streams.get(id);
    if (ours) ours.push(event);
    else streams.set(id, [event]);
  }
  return streams;
}
