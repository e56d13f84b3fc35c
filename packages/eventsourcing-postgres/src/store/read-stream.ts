import type { Queryable } from '../queryable.js';
import { checkLimit } from './read-limit.js';
import { EVENT_COLUMNS, type EventRow, type StoredEvent, storedEvent } from './stored-event.js';

// The head row comes with them, from the same snapshot, so that missing events are noticed.
const READ_STREAM = `
select s.version as head, e.*
  from streams s
  left join lateral (
    select ${EVENT_COLUMNS} from events
     where events.stream_id = s.stream_id and version > $2
     order by version limit $3
  ) e on true
 where s.stream_id = $1
 order by e.version`;

const READ_STREAM_BACKWARDS = `
select s.version as head, e.*
  from streams s
  left join lateral (
    select ${EVENT_COLUMNS} from events
     where events.stream_id = s.stream_id and version < $2
     order by version desc limit $3
  ) e on true
 where s.stream_id = $1
 order by e.version desc`;

type HeadAndEvent = { readonly head: number } & (EventRow | { readonly event_id: null });

/** The events of a stream after a version (0: from its beginning), at most `limit` of them. */
export async function readStream(
  db: Queryable,
  streamId: string,
  afterVersion: number,
  limit: number,
): Promise<readonly StoredEvent[]> {
  checkLimit(limit);
  const { rows } = await db.query<HeadAndEvent>({
    name: 'junction_read_stream',
    text: READ_STREAM,
    values: [streamId, afterVersion, limit],
  });
  const events = rows.flatMap((row) => (row.event_id === null ? [] : [storedEvent(row)]));
  refuseHoles(streamId, afterVersion, events, Math.min(rows[0]?.head ?? 0, afterVersion + limit));
  return events;
}

/** The events of a stream before a version, the newest first, at most `limit` of them. */
export async function readStreamBackwards(
  db: Queryable,
  streamId: string,
  beforeVersion: number,
  limit: number,
): Promise<readonly StoredEvent[]> {
  checkLimit(limit);
  const { rows } = await db.query<HeadAndEvent>({
    name: 'junction_read_stream_backwards',
    text: READ_STREAM_BACKWARDS,
    values: [streamId, beforeVersion, limit],
  });
  const events = rows.flatMap((row) => (row.event_id === null ? [] : [storedEvent(row)]));
  const last = Math.min(rows[0]?.head ?? 0, beforeVersion - 1);
  refuseHoles(streamId, Math.max(0, last - limit), events, last);
  return events;
}

/** A state made from part of a history is wrong in ways nobody sees, so it is not made at all. */
function refuseHoles(
  streamId: string,
  afterVersion: number,
  events: readonly StoredEvent[],
  last: number,
): void {
  const found = new Set(events.map(({ version }) => version));
  for (let version = afterVersion + 1; version <= last; version++) {
    if (found.has(version)) continue;
    throw new Error(`Event ${version} of ${streamId} is missing, although the stream has had it.`);
  }
}
