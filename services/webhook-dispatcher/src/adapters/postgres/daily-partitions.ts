import { inTransaction } from '@junction/eventsourcing/postgres';
import type pg from 'pg';
import { lock } from './locks.js';
import { statement } from './statement.js';

const TABLES = ['seen_events', 'deliveries', 'attempts', 'outcomes'] as const;
const DAYS_AHEAD = 2;

/** Makes the partitions of today (UTC) and the next two days. Gives the names of the new ones. */
export async function makeDailyPartitions(pool: pg.Pool): Promise<readonly string[]> {
  const missing = await missingPartitions(pool);
  if (missing.length === 0) return [];

  return inTransaction(pool, async (tx) => {
    await lock(tx, 'daily partitions');
    // Another replica may have made the partitions while this one waited for the lock.
    const ours = await missingPartitions(tx);
    for (const partition of ours) await tx.query(creationOf(partition));
    return ours.map(({ name }) => name);
  });
}

/** The names of the partitions that are missing of today and the next two days. */
export const missingDays = async (pool: pg.Pool): Promise<readonly string[]> =>
  (await missingPartitions(pool)).map(({ name }) => name);

interface Partition {
  readonly name: string;
  readonly parent: string;
  readonly from: string;
  readonly to: string;
}

// From the catalogue itself: to_regclass asks a cache, which a wait for a lock does not refresh.
async function missingPartitions(db: pg.Pool | pg.ClientBase): Promise<readonly Partition[]> {
  return (await readMissing(db, { parents: TABLES, days_ahead: DAYS_AHEAD })).rows;
}

const readMissing = statement<Partition>(
  null,
  `select parent || to_char(day, '_YYYYMMDD') as name, parent,
            to_char(day, 'YYYY-MM-DD') as from, to_char(day + 1, 'YYYY-MM-DD') as to
       from unnest(:parents::text[]) parent,
            lateral (select (now() at time zone 'utc')::date + n as day
                       from generate_series(0, :days_ahead::int) n) days
      where not exists (select from pg_class c
                         where c.relname = parent || to_char(day, '_YYYYMMDD')
                           and c.relnamespace = current_schema()::regnamespace)
      order by day, parent`,
);

/**
 * Attached after it was made: `create table … partition of` would lock out every reader and writer of
 * the parent, attaching locks out neither. Names and days come from our own list and the calendar.
 */
const creationOf = ({ name, parent, from, to }: Partition): string => `
  create table ${name} (like ${parent} including defaults including constraints);
  alter table ${parent} attach partition ${name} for values from ('${from}') to ('${to}')`;
