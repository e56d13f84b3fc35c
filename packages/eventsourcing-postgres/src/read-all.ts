import type { Queryable } from './queryable.js';
import { checkLimit } from './read-limit.js';
import { EVENT_COLUMNS, type EventRow, type StoredEvent, storedEvent } from './stored-event.js';

/** How far a reader of all events has come. */
export interface Position {
  readonly tx: bigint;
  readonly position: bigint;
}

/** Before the first event. */
export const BEGINNING: Position = { tx: 0n, position: 0n };

const READ_ALL = `
select ${EVENT_COLUMNS}
  from events
 where (tx, position) > ($1::xid8, $2::bigint)
   and tx < pg_snapshot_xmin(pg_current_snapshot())
 order by tx, position
 limit $3`;

/**
 * Events after `from`, in an order every reader agrees on; fewer than `limit` means the end for now.
 *
 * Ordering by position alone loses events: positions are handed out at insert but become visible at
 * commit, so a reader that has seen 7 would never look back for a 6 still in flight. Stopping short
 * of the oldest open transaction means that whatever is still in flight sorts after all we return.
 * The price: a transaction that writes, in any database of the cluster, holds readers up until it ends.
 *
 * Within one stream this is also the version order, because an event's tx is never lower than that
 * of the event before it.
 */
export async function readAll(
  db: Queryable,
  from: Position,
  limit: number,
): Promise<readonly StoredEvent[]> {
  checkLimit(limit);
  const { rows } = await db.query<EventRow>({
    name: 'junction_read_all',
    text: READ_ALL,
    values: [from.tx, from.position, limit],
  });
  return rows.map(storedEvent);
}
