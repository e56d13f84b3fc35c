import type { Queryable } from '../queryable.js';
import { checkLimit } from './read-limit.js';
import { EVENT_COLUMNS, type EventRow, type StoredEvent, storedEvent } from './stored-event.js';

// The head row comes with the events, from the same snapshot, so that missing events are noticed.
const pageOf = (beyond: string, order: string): string => `
select s.stream_id as of, s.version as head, e.*
  from streams s
  left join lateral (
    select ${EVENT_COLUMNS} from events
     where events.stream_id = s.stream_id and version ${beyond} $2
     order by version ${order} limit $3
  ) e on true
 where s.stream_id = any ($1)
 order by s.stream_id, e.version ${order}`;

const FORWARDS = { name: 'junction_read_streams', text: pageOf('>', 'asc') };
const BACKWARDS = { name: 'junction_read_streams_backwards', text: pageOf('<', 'desc') };

type HeadAndEvent = { readonly of: string; readonly head: number } & (
  | EventRow
  | { readonly event_id: null }
);

interface Page {
  readonly head: number;
  readonly events: StoredEvent[];
}

const NOTHING: Page = { head: 0, events: [] };

/** Returns the events of a stream after a version (0: from its beginning), at most `limit` of them. */
export async function readStream(
  db: Queryable,
  streamId: string,
  afterVersion: number,
  limit: number,
): Promise<readonly StoredEvent[]> {
  const page = (await readPages(db, FORWARDS, [[streamId], afterVersion, limit])).get(streamId);
  const { events, head } = page ?? NOTHING;
  refuseHoles(streamId, afterVersion, events, Math.min(head, afterVersion + limit));
  return events;
}

/** Returns the first events of some streams, at most `limit` of each; a stream without events is left out. */
export async function readStreams(
  db: Queryable,
  streamIds: readonly string[],
  limit: number,
): Promise<ReadonlyMap<string, readonly StoredEvent[]>> {
  const pages = await readPages(db, FORWARDS, [streamIds, 0, limit]);
  for (const [streamId, { events, head }] of pages) {
    refuseHoles(streamId, 0, events, Math.min(head, limit));
  }
  return new Map([...pages].map(([streamId, { events }]) => [streamId, events]));
}

/** Returns the events of a stream before a version, the newest first, at most `limit` of them. */
export async function readStreamBackwards(
  db: Queryable,
  streamId: string,
  beforeVersion: number,
  limit: number,
): Promise<readonly StoredEvent[]> {
  const page = (await readPages(db, BACKWARDS, [[streamId], beforeVersion, limit])).get(streamId);
  const { events, head } = page ?? NOTHING;
  const last = Math.min(head, beforeVersion - 1);
  refuseHoles(streamId, Math.max(0, last - limit), events, last);
  return events;
}

async function readPages(
  db: Queryable,
  statement: { readonly name: string; readonly text: string },
  values: [streamIds: readonly string[], from: number, limit: number],
): Promise<ReadonlyMap<string, Page>> {
  checkLimit(values[2]);
  const { rows } = await db.query<HeadAndEvent>({ ...statement, values });
  const pages = new Map<string, Page>();
  for (const row of rows) {
    const page = pages.get(row.of) ?? { head: row.head, events: [] };
    if (row.event_id !== null) page.events.push(storedEvent(row));
    pages.set(row.of, page);
  }
  return pages;
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
