import { describe, expect, it } from '@jest/globals';
import { useDatabase } from '@junction/testing';
import { dispatcherSchema } from '../../../test/on-postgres.js';
import { makeDailyPartitions } from './daily-partitions.js';

const database = useDatabase(dispatcherSchema);

describe('the daily partitions', () => {
  it('are made once for today and two days ahead, by replicas that start together', async () => {
    const { pool } = database();
    const made = await Promise.all([1, 2, 3].map(() => makeDailyPartitions(pool)));
    expect(made.flat()).toHaveLength(12);
    expect(await makeDailyPartitions(pool)).toEqual([]);

    const { rows } = await pool.query<{ day: string }>(
      `select distinct ((now() at time zone 'utc')::date + n)::text as day from generate_series(0, 2) n`,
    );
    for (const { day } of rows) {
      expect(made.flat()).toContain(`deliveries_${day.replaceAll('-', '')}`);
    }
  });

  it('take rows of their day, with the indexes of their parent', async () => {
    const { pool } = database();
    await makeDailyPartitions(pool);
    const { rows } = await pool.query(
      `select count(*)::int as indexes from pg_indexes
        where tablename = to_char((now() at time zone 'utc')::date, '"deliveries_"YYYYMMDD')`,
    );
    expect(rows).toEqual([{ indexes: 2 }]);
  });
});
