import type { Migration } from '@junction/eventsourcing/postgres';
import type { Pool } from 'pg';

/** Used part of a limit, as far as this replica knows. */
export interface Use {
  readonly used: number;
  /** Milliseconds until the window ends. */
  readonly resetMs: number;
}

/** Counts over all replicas of a service, without a database call for each count. */
export interface SharedUse {
  /** Counts a use of the key, as so many. Absent: one; 0: only tells how many there are. */
  count(key: string, times?: number): Use;
  /** Adds this replica's counts to the shared rows and reads the totals. */
  merge(): Promise<void>;
}

export interface SharedUseOptions {
  readonly pool: Pool;
  readonly windowMs: number;
  /** Fewest counts of a key since the last merge that are worth a row. */
  readonly worthTelling: number;
  readonly nowMs?: () => number;
}

interface Window {
  /** Counts of this replica since the last merge. */
  pending: number;
  /** Counts of all replicas, as of the last merge. */
  known: number;
  endsAtMs: number;
}

/**
 * Counts uses over all replicas. Between two merges replicas do not know of each other's counts: with a merge each
 * second, a limit also lets through what arrives at each replica within one second beyond the limit, and `worthTelling`
 * for each replica. While Postgres is away each replica counts by itself.
 */
export function sharedUse(options: SharedUseOptions): SharedUse {
  const { pool, windowMs, nowMs = Date.now } = options;
  const windows = new Map<string, Window>();

  const windowOf = (key: string): Window => {
    const now = nowMs();
    const known = windows.get(key);
    if (known !== undefined && known.endsAtMs > now) return known;
    const begun = { pending: 0, known: 0, endsAtMs: now + windowMs };
    windows.set(key, begun);
    return begun;
  };

  return {
    count(key, times = 1) {
      const window = windowOf(key);
      window.pending += times;
      return { used: window.known + window.pending, resetMs: window.endsAtMs - nowMs() };
    },

    async merge() {
      for (const [key, { endsAtMs }] of windows) if (endsAtMs <= nowMs()) windows.delete(key);
      // The order of the keys keeps two replicas from waiting for each other.
      const sent = [...windows]
        .filter(([, { pending }]) => pending >= options.worthTelling)
        .map(([key, window]) => ({ key, window, count: window.pending }))
        .sort((a, b) => (a.key < b.key ? -1 : 1));
      if (sent.length === 0) return;
      const { rows } = await pool.query<{ key: string; used: number; leftMs: number }>(MERGE, [
        sent.map(({ key }) => key),
        sent.map(({ count }) => count),
        windowMs,
      ]);
      const totals = new Map(rows.map((row) => [row.key, row]));
      for (const { key, window, count } of sent) {
        window.pending -= count;
        window.known = totals.get(key)?.used ?? window.known;
        window.endsAtMs = nowMs() + (totals.get(key)?.leftMs ?? 0);
      }
    },
  };
}

const MERGE = `
with over as (
  -- Rows that another replica is writing are skipped, because it may wait for a row of this statement.
  delete from api_use where key in (
    select key from api_use
     where ends_at < now() - interval '1 minute' and key <> all ($1) for update skip locked)
)
insert into api_use as u (key, used, ends_at)
select key, count, now() + $3 * interval '1 ms' from unnest($1::text[], $2::int[]) sent (key, count)
 order by key
on conflict (key) do update
   set used = excluded.used + case when u.ends_at <= now() then 0 else u.used end,
       ends_at = case when u.ends_at <= now() then excluded.ends_at else u.ends_at end
returning key, used, extract(epoch from ends_at - now())::float8 * 1000 as "leftMs"`;

export const apiUseMigrations: readonly Migration[] = [
  {
    name: 'service/0003_api_use',
    async up(db) {
      await db.raw(`
        -- The counts are worth nothing after a crash, so the table writes no log.
        create unlogged table api_use (
          key     text        primary key,
          used    integer     not null,
          ends_at timestamptz not null
        );
        create index api_use_by_end on api_use (ends_at);
      `);
    },
  },
];
