import type { Event } from '../../index.js';
import { openHeaders } from '../outbox/outbox.js';
import { type AppendColumns, expectedCode } from './append-statement.js';
import type { PreparedAppend, PreparedEvent } from './prepared-append.js';

type Part<E extends Event> = PreparedAppend<E>['parts'][number];

/** Transposes a batch of appends: the statement takes one array for each column, however many rows there are. */
export function appendColumns<E extends Event>(batch: readonly PreparedAppend<E>[]): AppendColumns {
  const commands = batch
    .filter(({ isRepeatable }) => isRepeatable)
    .map(({ commandId }) => commandId)
    .sort();
  const commandPlaces = new Map(commands.map((commandId, index) => [commandId, index + 1]));

  const given = batch.flatMap(({ commandId, metadata, parts }) => {
    const command = commandPlaces.get(commandId) ?? null;
    const json = JSON.stringify(metadata);
    return parts.map((part) => ({ part, command, metadata: json }));
  });
  // Locks are taken in the order of the parts. The sort is stable, so the parts of one stream stay
  // in the order of the batch; the events stay in it altogether.
  const sorted = given.toSorted((a, b) => compare(a.part.streamId, b.part.streamId));
  const places = new Map(sorted.map(({ part }, index) => [part, index + 1]));

  const columns = emptyColumns(commands);
  for (const { part, command, metadata } of sorted) {
    columns.parts.command.push(command);
    columns.parts.metadata.push(metadata);
    addPart(columns.parts, part);
  }
  for (const { part } of given) addEvents(columns, places.get(part) ?? 0, part.events);
  return columns;
}

const emptyColumns = (commands: string[]): AppendColumns => ({
  commands,
  parts: { command: [], streamId: [], expected: [], events: [], sequenced: [], metadata: [] },
  events: { part: [], place: [], eventId: [], type: [], schemaVersion: [], data: [] },
  records: { part: [], place: [], topic: [], key: [], type: [], headers: [], payload: [] },
});

function addPart<E extends Event>(
  rows: AppendColumns['parts'],
  { streamId, expected, events }: Part<E>,
): void {
  let sequenced = 0;
  for (const { records } of events) {
    for (const record of records) if (record.sequenced) sequenced++;
  }
  rows.streamId.push(streamId);
  rows.expected.push(expectedCode(expected));
  rows.events.push(events.length);
  rows.sequenced.push(sequenced);
}

function addEvents<E extends Event>(
  columns: AppendColumns,
  part: number,
  events: readonly PreparedEvent<E>[],
): void {
  const rows = columns.events;
  let place = 0;
  let sequenced = 0;
  for (const { eventId, event, schemaVersion, json, records } of events) {
    rows.part.push(part);
    rows.place.push(++place);
    rows.eventId.push(eventId);
    rows.type.push(event.type);
    rows.schemaVersion.push(schemaVersion);
    rows.data.push(json);
    for (const record of records) {
      addRecord(columns.records, part, record.sequenced ? ++sequenced : null, record);
    }
  }
}

function addRecord(
  rows: AppendColumns['records'],
  part: number,
  place: number | null,
  { topic, key, type, headers, payload }: PreparedEvent<Event>['records'][number],
): void {
  rows.part.push(part);
  rows.place.push(place);
  rows.topic.push(topic);
  rows.key.push(key);
  rows.type.push(type);
  rows.headers.push(openHeaders(headers));
  rows.payload.push(payload);
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
