// An append is written in one of two ways, and `store` below makes the choice.
//
// - One event for one stream is one CTE with plain arguments (append-one-statement.ts). Nearly every
//   append of the services has this form. Arrays and a function call would cost it half as much again.
// - Everything else is one call of the function append_events (append-statement.ts prepares its
//   arguments, migration 0003 holds its text). It takes arrays, so one prepared statement serves any
//   number of streams, events and records. It runs several statements, so a repeated command can stop
//   before it meets a conflict, while the other commands of the batch go on.
//
// Both take their locks in the same order, refuse a moved stream with the same error code and return
// the same rows. event-store.int.test.ts holds both to the same contract.

import { DatabaseError } from 'pg';
import {
  type Appended,
  appendedOf,
  type Event,
  type EventCodec,
  eventIdsOf,
  type RecordedEvent,
  refuseReuse,
  StreamMovedError,
  streamsOf,
} from '../../index.js';
import type { Queryable } from '../queryable.js';
import { appendOneStatement } from './append-one-statement.js';
import { appendStatement, type StoredPlace } from './append-statement.js';
import type { PreparedAppend } from './prepared-append.js';
import { EVENT_COLUMNS, type EventRow, recordedEvent, storedEvent } from './stored-event.js';

/** SQLSTATE that append_events raises for a moved stream. */
const STREAM_MOVED = 'JN001';

/** Appends a batch in one statement: all of it, or nothing. Repeated commands are looked up afterwards. */
export async function appendBatch<E extends Event>(
  db: Queryable,
  codec: EventCodec<E>,
  batch: readonly PreparedAppend<E>[],
): Promise<readonly Appended<E>[]> {
  // A command that stands in the batch twice is its own repeat.
  const firsts = new Map(batch.toReversed().map((append) => [append.commandId, append]));
  const places = await store(
    db,
    batch.filter((one) => firsts.get(one.commandId) === one),
  );

  const results: Appended<E>[] = [];
  for (const append of batch) {
    const isFirst = firsts.get(append.commandId) === append;
    const events = isFirst ? recordedEvents(append, places) : [];
    if (events.length > 0) {
      results.push(appendedOf(events, false));
      continue;
    }
    const { commandId } = append;
    results.push(
      (await recall(db, codec, commandId, streamsOf(append.parts))) ?? refuseReuse(commandId),
    );
  }
  return results;
}

async function store<E extends Event>(
  db: Queryable,
  batch: readonly PreparedAppend<E>[],
): Promise<ReadonlyMap<string, StoredPlace>> {
  try {
    const { rows } = await db.query<StoredPlace>(
      appendOneStatement(batch) ?? appendStatement(batch),
    );
    return new Map(rows.map((row) => [row.event_id, row]));
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.code !== STREAM_MOVED) throw error;
    throw new StreamMovedError(JSON.parse(error.detail ?? '{}') as Record<string, number>, {
      cause: error,
    });
  }
}

const RECALL = `
select ${EVENT_COLUMNS}
  from events
 where stream_id = any($1::text[]) and event_id = any($2::uuid[])
 order by array_position($2::uuid[], event_id)`;

/** Returns the events that a command stored in these streams, found by their ids. */
export async function recall<E extends Event>(
  db: Queryable,
  codec: EventCodec<E>,
  commandId: string,
  streamIds: readonly string[],
): Promise<Appended<E> | undefined> {
  const { rows } = await db.query<EventRow>({
    name: 'junction_recall',
    text: RECALL,
    values: [streamIds, eventIdsOf(commandId)],
  });
  const events: RecordedEvent<E>[] = [];
  for (const row of rows) events.push(await recordedEvent(codec, storedEvent(row)));
  return events.length > 0 ? appendedOf(events, true) : undefined;
}

/** Returns the stored events; none when the statement found the command there already. */
function recordedEvents<E extends Event>(
  { parts, metadata }: PreparedAppend<E>,
  places: ReadonlyMap<string, StoredPlace>,
): readonly RecordedEvent<E>[] {
  return parts.flatMap(({ streamId, events }) =>
    events.flatMap(({ eventId, event, schemaVersion }) => {
      const place = places.get(eventId);
      if (!place) return [];
      return {
        eventId,
        streamId,
        version: place.version,
        position: BigInt(place.position),
        tx: BigInt(place.tx),
        type: event.type,
        schemaVersion,
        event,
        metadata,
        recordedAt: place.recorded_at,
      };
    }),
  );
}
