import type { Queryable } from '../queryable.js';
import { FENCE } from './read-all.js';

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
 * Returns a function for the metric junction_reader_fence_age_seconds that measures the age of the oldest transaction
 * that holds readers up, of this role or another. Postgres tells only monitors when a transaction of another role
 * began, so such a transaction counts from the moment when this function first met it.
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
