import type pg from 'pg';
import type { Event, ExpectedVersion } from '../../index.js';
import { openHeaders } from '../outbox/outbox.js';
import type { PreparedAppend } from './prepared-append.js';

/** Row that the statement returns for each event it stored. */
export interface StoredPlace {
  readonly event_id: string;
  readonly version: number;
  readonly position: string;
  readonly tx: string;
  readonly recorded_at: Date;
}

export const expectedCode = (expected: ExpectedVersion): number =>
  typeof expected === 'number' ? expected : { none: 0, any: -1, exists: -2 }[expected];

const APPEND = `
select event_id, version, position, tx, recorded_at
  from append_events($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
                     $19, $20)`;

/**
 * Returns the statement of a whole append: one round trip, prepared once for each connection by its name. It takes one
 * array for each column, however many rows there are; the migration of append_events explains them.
 */
export function appendStatement<E extends Event>(
  batch: readonly PreparedAppend<E>[],
): pg.QueryConfig {
  const commands = batch
    .filter(({ isRepeatable }) => isRepeatable)
    .map(({ commandId }) => commandId)
    .sort();
  const commandPlaces = new Map(commands.map((commandId, index) => [commandId, index + 1]));
  const given = batch.flatMap(({ commandId, metadata, parts }) => {
    const command = commandPlaces.get(commandId) ?? null;
    const json = JSON.stringify(metadata);
    return parts.map((part) => ({ ...part, command, metadata: json }));
  });
  // Locks are taken in the order of the parts. The sort is stable, so the parts of one stream stay
  // in the order of the batch; the events stay in it altogether.
  const parts = given.toSorted((a, b) => compare(a.streamId, b.streamId));
  const places = new Map(parts.map((part, index) => [part, index + 1]));
  const events = given.flatMap((of) => {
    const part = places.get(of) ?? 0;
    return of.events.map((event, index) => ({ ...event, part, place: index + 1 }));
  });
  const records = given.flatMap((of) => {
    const part = places.get(of) ?? 0;
    let sequenced = 0;
    return recordsOf(of).map((record) => {
      return { ...record, part, place: record.sequenced ? ++sequenced : null };
    });
  });
  const values = [
    commands,
    parts.map(({ command }) => command),
    parts.map(({ streamId }) => streamId),
    parts.map(({ expected }) => expectedCode(expected)),
    parts.map(({ events }) => events.length),
    parts.map((part) => recordsOf(part).filter(({ sequenced }) => sequenced).length),
    parts.map(({ metadata }) => metadata),
    events.map(({ part }) => part),
    events.map(({ place }) => place),
    events.map(({ eventId }) => eventId),
    events.map(({ event }) => event.type),
    events.map(({ schemaVersion }) => schemaVersion),
    events.map(({ json }) => json),
    records.map(({ part }) => part),
    records.map(({ place }) => place),
    records.map(({ topic }) => topic),
    records.map(({ key }) => key),
    records.map(({ type }) => type),
    records.map(({ headers }) => openHeaders(headers)),
    records.map(({ payload }) => payload),
  ];
  return { name: 'junction_append', text: APPEND, values };
}

const recordsOf = ({ events }: Pick<PreparedAppend<Event>['parts'][number], 'events'>) =>
  events.flatMap(({ records }) => records);

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
