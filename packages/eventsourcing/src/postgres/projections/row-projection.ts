import type { ClientBase } from 'pg';
import { type Event, type Projection, type RecordedEvent, splitStreamId } from '../../index.js';
import type { InlineProjection } from './inline-projection.js';
import { deleteRows, findRows, saveRows } from './projection-rows.js';

/** A pure projection with the table that holds it: one row for each stream. */
export interface RowProjection<E extends Event> extends InlineProjection<E> {
  /** Name of the table, and of the projection. */
  readonly table: string;
  /** The column that holds the id part of `<aggregate>-<id>`, or what `toKey` makes of it. */
  readonly key: string;
  /** Aggregate whose streams the projection gets; undefined: all streams. */
  readonly aggregate: string | undefined;
  /**
   * Applies events to `table`, which is the projection's own or one with the same columns. Returns the columns that it
   * wrote.
   */
  applyTo(
    tx: ClientBase,
    table: string,
    events: readonly RecordedEvent<E>[],
  ): Promise<readonly string[]>;
}

/**
 * Keeps the table of a pure projection: one row for each stream, found by the id part of its name. `toKey` returns the
 * value of the key column for that id; absent: the id is the value.
 */
export function rowProjection<Row extends object, E extends Event>(
  projection: Projection<Row, E>,
  toKey = (id: string): string => id,
): RowProjection<E> {
  const { table, key, aggregate } = projection;
  const applyTo: RowProjection<E>['applyTo'] = async (tx, into, events) => {
    const streams = byStream(events, aggregate, toKey);
    if (streams.size === 0) return [];
    const place = { table: into, key };
    // A stream that begins here has no row yet.
    const older = [...streams].flatMap(([id, [first]]) => (first?.version === 1 ? [] : id));
    const rows = await findRows(tx, place, older);

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
    // Rows are deleted first: a deleted row may hold a unique value that one of the saved rows takes over.
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

/** Groups events by the key of their stream, which is unique within an aggregate. */
function byStream<E extends Event>(
  events: readonly RecordedEvent<E>[],
  wanted: string | undefined,
  toKey: (id: string) => string,
): ReadonlyMap<string, readonly RecordedEvent<E>[]> {
  const streams = new Map<string, RecordedEvent<E>[]>();
  for (const event of events) {
    const { aggregate, id } = splitStreamId(event.streamId);
    if (wanted !== undefined && wanted !== aggregate) continue;
    const key = toKey(id);
    const ours = streams.get(key);
    if (ours) ours.push(event);
    else streams.set(key, [event]);
  }
  return streams;
}
