import type { Queryable } from '../queryable.js';
import { checkLimit } from './read-limit.js';
import { EVENT_COLUMNS, type EventRow, type StoredEvent, storedEvent } from './stored-event.js';

/** Position of a reader in all events. */
export interface Position {
  readonly tx: bigint;
  readonly position: bigint;
}

/** Position before the first event. */
export const BEGINNING: Position = { tx: 0n, position: 0n };

/** Filter of the events that a reader wants. */
export interface Selection {
  /** Aggregate whose streams are read: the part of a stream's name before its first hyphen. Absent: all streams. */
  readonly category?: string | undefined;
}

/** Events in reading order, as far as they may be read by now. */
export interface Page {
  readonly events: readonly StoredEvent[];
  /** True when an open transaction holds committed events back: read again in a moment. */
  readonly isHeldBack: boolean;
}

/** SQL for the transaction id below which nothing can still become visible. */
export const FENCE = 'pg_snapshot_xmin(pg_current_snapshot())';

/** SQL for the category of a stream, written exactly as in the index. */
export const CATEGORY = `split_part(stream_id, '-', 1)`;

// The last event is looked up from the end of the same index: if the query asked whether an event beyond the fence
// exists, a planner that knows no fence might scan the whole table for it.
const readAllOf = (selected: string): string => `
select held_back, e.*
  from (select (select tx from events where ${selected} order by tx desc, position desc limit 1)
               >= ${FENCE} as held_back) last
  left join lateral (
    select ${EVENT_COLUMNS} from events
     where ${selected} and (tx, position) > ($1::xid8, $2::bigint) and tx < ${FENCE}
     order by tx, position limit $3
  ) e on true
 order by e.tx, e.position`;

const READ_ALL = readAllOf('true');
const READ_CATEGORY = readAllOf(`${CATEGORY} = $4`);

type PageRow = { readonly held_back: boolean | null } & (EventRow | { readonly event_id: null });

/**
 * Returns events after `from`, in an order that every reader agrees on; fewer than `limit` means that no more can be
 * read yet.
 *
 * Ordering by position alone loses events: positions are assigned at insert but become visible at commit, so a reader
 * that has seen 7 would never look back for a 6 still in flight. The reader stops short of the oldest open transaction,
 * so everything still in flight sorts after all returned events. The price: a transaction that writes, in any database
 * of the cluster, holds readers up until it ends.
 *
 * Within one stream this is also the version order, because an event's tx is never lower than that of the event before
 * it.
 */
export async function readAll(
  db: Queryable,
  from: Position,
  limit: number,
  selection: Selection = {},
): Promise<readonly StoredEvent[]> {
  return (await readPage(db, from, limit, selection)).events;
}

/** Returns the same events, and whether there would be more without the transactions that are still open. */
export async function readPage(
  db: Queryable,
  from: Position,
  limit: number,
  { category }: Selection,
): Promise<Page> {
  checkLimit(limit);
  const values = [from.tx, from.position, limit];
  const { rows } = await db.query<PageRow>(
    category === undefined
      ? { name: 'junction_read_all', text: READ_ALL, values }
      : { name: 'junction_read_category', text: READ_CATEGORY, values: [...values, category] },
  );
  return {
    events: rows.flatMap((row) => (row.event_id === null ? [] : [storedEvent(row)])),
    isHeldBack: rows[0]?.held_back ?? false,
  };
}

/**
 * Returns events in the same order, but all committed ones, beyond the fence too. Only for a caller whose lock keeps
 * out what could still become visible in between.
 */
export async function readCommitted(
  db: Queryable,
  from: Position,
  limit: number,
  { category }: Selection,
): Promise<readonly StoredEvent[]> {
  // The statement is not prepared: its plan depends on whether there is a category.
  const { rows } = await db.query<EventRow>({
    text: `select ${EVENT_COLUMNS} from events
            where ($1::text is null or ${CATEGORY} = $1) and (tx, position) > ($2::xid8, $3::bigint)
            order by tx, position limit $4`,
    values: [category ?? null, from.tx, from.position, limit],
  });
  return rows.map(storedEvent);
}
