import type { Queryable } from './queryable.js';
import { EVENT_COLUMNS, type EventRow, type StoredEvent, storedEvent } from './stored-event.js';

/**
 * The event with this id. In a stream it is found by index; without one every event may have to be
 * looked at, for ids carry no index: appends would pay for what only an operator ever asks.
 */
export async function findEvent(
  db: Queryable,
  eventId: string,
  streamId?: string,
): Promise<StoredEvent | undefined> {
  const { rows } = await db.query<EventRow>({
    text: `select ${EVENT_COLUMNS} from events
            where event_id = $1 ${streamId === undefined ? '' : 'and stream_id = $2'} limit 1`,
    values: streamId === undefined ? [eventId] : [eventId, streamId],
  });
  return rows[0] && storedEvent(rows[0]);
}
