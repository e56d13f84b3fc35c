import type { Queryable } from './queryable.js';
import { CATEGORY, FENCE, type Position, type Selection } from './read-all.js';

/** Counting is bounded: a reader that far behind has a bound to tell of, not a number. */
const COUNT_MAX = 10_000;

/** How far a reader is behind what is committed. */
export interface ReaderLag {
  /** How many events it has not handled; at most 10,000 are counted. */
  readonly events: number;
  /** How long ago the first of them was recorded. 0: there are none. */
  readonly seconds: number;
}

const LAG = `
select count(*)::int as events,
       coalesce(extract(epoch from clock_timestamp() - (array_agg(recorded_at))[1]), 0)::float8 as seconds
  from (select recorded_at from events
         where ($1::text is null or ${CATEGORY} = $1) and (tx, position) > ($2::xid8, $3::bigint)
         order by tx, position limit ${COUNT_MAX}) behind`;

/** Counts events that are held back too: whoever waits for them does not care why. */
export async function readerLag(
  db: Queryable,
  from: Position,
  { category }: Selection = {},
): Promise<ReaderLag> {
  // Not prepared: its plan depends on whether there is a category.
  const { rows } = await db.query<ReaderLag & object>({
    text: LAG,
    values: [category ?? null, from.tx, from.position],
  });
  const { events, seconds } = rows[0] ?? { events: 0, seconds: 0 };
  return { events, seconds: Math.max(0, seconds) };
}

const OLDEST_WRITER = `
select ${FENCE}::text as fence, ${FENCE} < pg_snapshot_xmax(pg_current_snapshot()) as is_held,
       (select extract(epoch from clock_timestamp() - min(xact_start)) from pg_stat_activity
         where backend_xid is not null)::float8 as seconds`;

interface WriterRow {
  readonly fence: string;
  readonly is_held: boolean;
  readonly seconds: number | null;
}

/**
 * For the metric reader_fence_age_seconds: gives the age of the oldest transaction that holds readers
 * up, of this role or another. When a transaction of another role began Postgres tells only its
 * monitors, so its age is that since this function first met it.
 */
export function readerFenceAge(db: Queryable): () => Promise<number> {
  let met: { readonly fence: string; readonly atMs: number } | undefined;
  return async () => {
    const { rows } = await db.query<WriterRow>({ text: OLDEST_WRITER });
    const {
      fence,
      is_held: isHeld,
      seconds,
    } = rows[0] ?? { fence: '', is_held: false, seconds: 0 };
    if (!isHeld) met = undefined;
    else if (met?.fence !== fence) met = { fence, atMs: performance.now() };
    const metSeconds = met ? (performance.now() - met.atMs) / 1_000 : 0;
    return isHeld ? Math.max(seconds ?? 0, metSeconds) : 0;
  };
}
