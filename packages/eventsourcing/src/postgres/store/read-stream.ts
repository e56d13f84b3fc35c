import type { Queryable } from '../queryable.js';
import { checkLimit } from './read-limit.js';
import { EVENT_COLUMNS, type EventRow, type StoredEvent, storedEvent } from './stored-event.js';

// The head row comes with the events, from the same snapshot, so that missing events are noticed.
const pageOf = (beyond: string, order: string): string => `
select s.version as head, e.*
  from streams s
  left join lateral (
    select ${EVENT_COLUMNS} from events
     where events.stream_id = s.stream_id and version ${beyond} $2
     order by version ${order} limit $3
  ) e on true
 where s.stream_id = $1
 order by e.version ${order}`;

const FORWARDS = { name: 'junction_read_stream', text: pageOf('>', 'asc') };
const BACKWARDS = { name: 'junction_read_stream_backwards', text: pageOf('<', 'desc') };

type HeadAndEvent = { readonly head: number } & (EventRow | { readonly event_id: null });

/** Returns the events of a stream after a version (0: from its beginning), at most `limit` of them. */
export async function readStream(
  db: Queryable,
  streamId: string,
  afterVersion: number,
  limit: number,
): Promise<readonly StoredEvent[]> {
  const { events, head } = await readPage(db, FORWARDS, [streamId, afterVersion, limit]);
  refuseHoles(streamId, afterVersion, events, Math.min(head, afterVersion + limit));
  return events;
}

/** Returns the events of a stream before a version, the newest first, at most `limit` of them. */
export async function readStreamBackwards(
  db: Queryable,
  streamId: string,
  beforeVersion: number,
  limit: number,
): Promise<readonly StoredEvent[]> {
  const { events, head } = await readPage(db, BACKWARDS, [streamId, beforeVersion, limit]);
  const last = Math.min(head, beforeVersion - 1);
  refuseHoles(streamId, Math.max(0, last - limit), events, last);
  return events;
}

async function readPage(
  db: Queryable,
  statement: { readonly name: string; readonly text: string },
  values: [streamId: string, from: number, limit: number],
) {
  checkLimit(values[2]);
  const { rows } = await db.query<HeadAndEvent>({ ...statement, values });
  const events = rows.flatMap((row) => (row.event_id === null ? [] : [storedEvent(row)]));
  return { events, head: rows[0]?.head ?? 0 };
}

/** Throws when events are missing: a state made from part of a history is wrong in ways nobody sees. */
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
