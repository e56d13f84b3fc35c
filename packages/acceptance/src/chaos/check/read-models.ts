import { splitStreamId } from '@junction/eventsourcing';
import { type Count, counted } from '../count.js';
import { groupBy } from './group-by.js';
import type { History, ReadModel, Row, Stored, Violation } from './history.js';

/** A read model is what a fold over the store gives. */
export function* checkReadModels({
  stored,
  readModels,
}: Pick<History, 'stored' | 'readModels'>): Iterable<Violation> {
  const streams = groupBy(stored, ({ streamId }) => streamId);
  for (const readModel of readModels) yield* checkOne(readModel, streams);
}

function* checkOne(
  { table, aggregate, rows }: ReadModel,
  streams: ReadonlyMap<string, readonly Stored[]>,
): Iterable<Violation> {
  const left = new Map(rows.map((row) => [row.id, row]));
  for (const [streamId, events] of streams) {
    const place = splitStreamId(streamId);
    if (aggregate !== undefined && aggregate !== place.aggregate) continue;
    const row = left.get(place.id);
    left.delete(place.id);
    const expected = events.reduce<Count | undefined>(
      (before, event) => counted(before, event, event.version),
      undefined,
    );
    if (row !== undefined && isSame(row, expected)) continue;
    yield {
      promise: 'a read model is the fold over its events',
      found: `${table}: of ${streamId} the store says ${inWords(expected)}, the table ${inWords(row)}.`,
    };
  }
  for (const row of left.values()) {
    yield {
      promise: 'a read model is the fold over its events',
      found: `${table} has a row for ${row.id}, of which the store has no event: ${inWords(row)}.`,
    };
  }
}

const isSame = (row: Row, expected: Count | undefined): boolean =>
  row.count === expected?.count &&
  row.sum === expected.sum &&
  row.version === expected.version &&
  row.digest === expected.digest;

const inWords = (row: Count | undefined): string =>
  row === undefined
    ? 'nothing'
    : `${row.count} events with the sum ${row.sum} at version ${row.version} (digest ${row.digest})`;
