import type pg from 'pg';

/** Number up to which rows are counted: during a long outage a scrape must not read a whole table. */
export const COUNTED_MAX = 100_000;

export interface Backlog {
  /** Rows that Kafka does not have yet, at most 100,000. */
  readonly rows: number;
  /** Seconds since the oldest of these rows was written, by the database's clock; 0 without any. */
  readonly oldestAgeS: number;
}

/** Measures the rows that the outbox still holds. Cheap: reads the head of each lane, and counts up to a bound. */
export async function outboxBacklog(pool: pg.Pool): Promise<Backlog> {
  const { rows } = await pool.query<{ rows: number; age: number | null }>({
    name: 'junction_outbox_backlog',
    text: `
      select (select count(*)::int from (select from outbox limit $1) counted) as rows,
             (select extract(epoch from clock_timestamp() - min(head.at))::float8
                from relay_leases cross join lateral (
                  select (headers->>'ce_time')::timestamptz as at from outbox o
                   where o.lane = relay_leases.lane order by id limit 1) head) as age`,
    values: [COUNTED_MAX],
  });
  return { rows: rows[0]?.rows ?? 0, oldestAgeS: Math.max(0, rows[0]?.age ?? 0) };
}
