import type pg from 'pg';
import type { Queryable } from '../queryable.js';
import { inTransaction } from '../transaction.js';
import { EVENT_COLUMNS, type EventRow, type StoredEvent, storedEvent } from './stored-event.js';

const PAGE = 20_000;
/** The largest bigint: above every position. */
const TOP = '9223372036854775807';
const STATEMENT_MIN_MS = 1_000;
const STATEMENT_TIMEOUT = '57014';

/** Returns the event with this id in a stream, by the stream's index. */
export async function findEvent(
  db: Queryable,
  eventId: string,
  streamId: string,
): Promise<StoredEvent | undefined> {
  const { rows } = await db.query<EventRow>({
    text: `select ${EVENT_COLUMNS} from events where event_id = $1 and stream_id = $2 limit 1`,
    values: [eventId, streamId],
  });
  return rows[0] && storedEvent(rows[0]);
}

export interface SearchOptions {
  /** Milliseconds after which no further page is read. The first page is read in any case. */
  readonly withinMs: number;
  /** Ends the search between two pages: the search then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Number of events that one statement reads. */
  readonly pageSize?: number;
}

export interface Search {
  readonly event: StoredEvent | undefined;
  /** True when all events were searched, or the event was found. */
  readonly isComplete: boolean;
  /** Time at which the oldest searched event was recorded; undefined: no event was searched. */
  readonly since: Date | undefined;
}

/**
 * Searches the events for an id, newest first, page by page. Ids have no index, because every append would pay for a
 * search that only operators need; so in a large store time may be over before the end.
 */
export async function searchEvent(
  pool: pg.Pool,
  eventId: string,
  { withinMs, signal, pageSize = PAGE }: SearchOptions,
): Promise<Search> {
  const endMs = performance.now() + withinMs;
  let before = TOP;
  let since: Date | undefined;
  do {
    signal?.throwIfAborted();
    const leftMs = Math.max(endMs - performance.now(), STATEMENT_MIN_MS);
    const page = await pageBefore(pool, before, { eventId, pageSize, leftMs });
    if (page === 'late') return { event: undefined, isComplete: false, since };
    const { event, oldest } = page;
    since = oldest?.recorded_at ?? since;
    if (event || !oldest) return { event, isComplete: true, since };
    before = oldest.position;
  } while (performance.now() < endMs);
  return { event: undefined, isComplete: false, since };
}

interface Page {
  readonly event: StoredEvent | undefined;
  readonly oldest: { readonly position: string; readonly recorded_at: Date } | undefined;
}

interface Wanted {
  readonly eventId: string;
  readonly pageSize: number;
  readonly leftMs: number;
}

async function pageBefore(
  pool: pg.Pool,
  before: string,
  { eventId, pageSize, leftMs }: Wanted,
): Promise<Page | 'late'> {
  try {
    return await inTransaction(pool, async (tx) => {
      await tx.query(`set local statement_timeout = ${Math.ceil(leftMs)}`);
      const { rows } = await tx.query<{
        position: string;
        recorded_at: Date;
        found: string | null;
      }>(
        `with page as materialized (
           select position, event_id, recorded_at from events
            where position < $1 order by position desc limit $2)
         select position, recorded_at, (select position from page where event_id = $3 limit 1) as found
           from page order by position limit 1`,
        [before, pageSize, eventId],
      );
      const [oldest] = rows;
      const event = oldest?.found ? await eventAt(tx, oldest.found) : undefined;
      return { event, oldest };
    });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === STATEMENT_TIMEOUT)
      return 'late';
    throw error;
  }
}

async function eventAt(tx: Queryable, position: string): Promise<StoredEvent | undefined> {
  const { rows } = await tx.query<EventRow>({
    text: `select ${EVENT_COLUMNS} from events where position = $1`,
    values: [position],
  });
  return rows[0] && storedEvent(rows[0]);
}
