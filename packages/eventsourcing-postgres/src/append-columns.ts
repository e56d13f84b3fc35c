import type { Event } from '@junction/eventsourcing';
import { type AppendColumns, expectedCode } from './append-statement.js';
import type { PreparedAppend, PreparedEvent } from './prepared-append.js';

/** Turns a batch of appends on its side: the statement takes columns, however many rows there are. */
export function appendColumns<E extends Event>(batch: readonly PreparedAppend<E>[]): AppendColumns {
  const commands = batch
    .filter(({ isRepeatable }) => isRepeatable)
    .map(({ commandId }) => commandId)
    .sort();
  const commandPlaces = new Map(commands.map((commandId, index) => [commandId, index + 1]));

  const given = batch.flatMap(({ commandId, metadata, parts }) =>
    parts.map((part) => ({ ...part, command: commandPlaces.get(commandId) ?? null, metadata })),
  );
  // Locks are taken in the order of the parts. The sort is stable, so the parts of one stream stay
  // in the order of the batch; the events stay in it altogether.
  const parts = given.toSorted(byStream);
  const partPlaces = new Map(parts.map((part, index) => [part, index + 1]));
  const numbered = given.map((part) => ({ ...part, part: partPlaces.get(part) ?? 0 }));

  return {
    commands,
    parts: {
      command: parts.map(({ command }) => command),
      streamId: parts.map(({ streamId }) => streamId),
      expected: parts.map(({ expected }) => expectedCode(expected)),
      events: parts.map(({ events }) => events.length),
      sequenced: parts.map(({ events }) => recordsOf(events).filter(isSequenced).length),
      metadata: parts.map(({ metadata }) => JSON.stringify(metadata)),
    },
    events: eventColumns(numbered),
    records: recordColumns(numbered),
  };
}

interface NumberedPart<E extends Event> {
  readonly part: number;
  readonly events: readonly PreparedEvent<E>[];
}

function eventColumns<E extends Event>(parts: readonly NumberedPart<E>[]): AppendColumns['events'] {
  const rows = parts.flatMap(({ part, events }) =>
    events.map((event, index) => ({ ...event, part, place: index + 1 })),
  );
  return {
    part: rows.map(({ part }) => part),
    place: rows.map(({ place }) => place),
    eventId: rows.map(({ eventId }) => eventId),
    type: rows.map(({ event }) => event.type),
    schemaVersion: rows.map(({ schemaVersion }) => schemaVersion),
    data: rows.map(({ json }) => json),
  };
}

function recordColumns<E extends Event>(
  parts: readonly NumberedPart<E>[],
): AppendColumns['records'] {
  const rows = parts.flatMap(({ part, events }) => {
    let last = 0;
    return recordsOf(events).map((record) => {
      const place = isSequenced(record) ? ++last : null;
      return { ...record, part, place };
    });
  });
  return {
    part: rows.map(({ part }) => part),
    place: rows.map(({ place }) => place),
    topic: rows.map(({ topic }) => topic),
    key: rows.map(({ key }) => key),
    type: rows.map(({ type }) => type),
    headers: rows.map(({ headers }) => JSON.stringify(headers)),
    payload: rows.map(({ payload }) => payload),
  };
}

const recordsOf = <E extends Event>(events: readonly PreparedEvent<E>[]) =>
  events.flatMap(({ records }) => records);

const isSequenced = ({ sequenced }: { readonly sequenced: boolean }): boolean => sequenced;

const byStream = (a: { readonly streamId: string }, b: { readonly streamId: string }): number =>
  a.streamId < b.streamId ? -1 : Number(a.streamId > b.streamId);
