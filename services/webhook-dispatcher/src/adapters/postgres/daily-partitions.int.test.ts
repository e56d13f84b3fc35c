import { describe, expect, it } from '@jest/globals';
import { useDatabase } from '@junction/testing';
import { eventOf, onPostgres } from '../../../test/on-postgres.js';
import { dispatcherSchema } from '../../../test/schema.js';
import { makeDailyPartitions } from './daily-partitions.js';
import { purgePartitions, purgeRows } from './privacy/purge.js';
import { toStoredId } from './stored-id.js';

const database = useDatabase(dispatcherSchema);
const RETENTION = { days: 30, seenEventDays: 7 };

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

describe('the days that are over', () => {
  it('go, those within the time stay', async () => {
    const { pool } = database();
    for (const table of ['deliveries', 'attempts', 'outcomes', 'seen_events']) {
      await addDay(table, 8);
      await addDay(table, 40);
    }
    expect(await purgePartitions(pool, RETENTION)).toEqual([
      nameOf('attempts', 40),
      nameOf('deliveries', 40),
      nameOf('outcomes', 40),
      nameOf('seen_events', 40),
      nameOf('seen_events', 8),
    ]);
    expect(await exists(nameOf('deliveries', 8))).toBe(true);
    expect(await exists(nameOf('seen_events', 0))).toBe(true);
    expect(await purgePartitions(pool, RETENTION)).toEqual([]);
    await purgePartitions(pool, { days: 7, seenEventDays: 7 });
  });

  it('stay while something of them waits to be sent', async () => {
    const { pool } = database();
    const { newWebhook, takeIn } = onPostgres(database());
    await addDay('deliveries', 50);
    const { userId } = await newWebhook();
    const [job] = await takeIn([eventOf(userId)]);
    await pool.query(`update pending set day = $1 where delivery_id = $2`, [
      dayAgo(50),
      toStoredId(job?.deliveryId ?? ''),
    ]);
    expect(await purgePartitions(pool, RETENTION)).toEqual([]);
    await pool.query('delete from pending where delivery_id = $1', [
      toStoredId(job?.deliveryId ?? ''),
    ]);
    expect(await purgePartitions(pool, RETENTION)).toEqual([nameOf('deliveries', 50)]);
  });

  it('are dropped by one replica, also what another left half done', async () => {
    const { pool } = database();
    await addDay('attempts', 60);
    await pool.query(
      `alter table attempts detach partition ${nameOf('attempts', 60)} concurrently`,
    );
    await addDay('outcomes', 61);
    const drops = await Promise.all([1, 2, 3].map(() => purgePartitions(pool, RETENTION)));
    expect(drops.flat().toSorted()).toEqual([nameOf('attempts', 60), nameOf('outcomes', 61)]);
  });

  it('keep nobody from reading and writing the others meanwhile', async () => {
    const { pool } = database();
    const { newWebhook, takeIn } = onPostgres(database());
    await addDay('deliveries', 70);
    const reader = await pool.connect();
    await reader.query('begin');
    // A reader of all days keeps the detaching waiting; no other statement may wait for the detaching.
    await reader.query('select count(*) from deliveries');
    const dropping = purgePartitions(pool, RETENTION);
    const { userId } = await newWebhook();
    expect(await takeIn([eventOf(userId)])).toHaveLength(1);
    expect(await exists(nameOf('deliveries', 70))).toBe(true);
    await reader.query('commit');
    reader.release();
    expect(await dropping).toEqual([nameOf('deliveries', 70)]);
  });
});

it('the changes of webhooks go an hour later', async () => {
  const { pool } = database();
  const { newWebhook } = onPostgres(database());
  const [old, recent] = [await newWebhook(), await newWebhook()];
  await pool.query(
    `update webhook_changes set at = now() - interval '61 minutes' where user_id = $1`,
    [old.userId],
  );
  await purgeRows(pool, RETENTION);
  const { rows } = await pool.query(
    'select user_id from webhook_changes where user_id = any ($1)',
    [[old.userId, recent.userId]],
  );
  expect(rows).toEqual([{ user_id: recent.userId }]);
});

const DAY_MS = 86_400_000;
const dayAgo = (days: number): string =>
  new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
const nameOf = (table: string, days: number): string =>
  `${table}_${dayAgo(days).replaceAll('-', '')}`;

const addDay = async (table: string, days: number): Promise<void> => {
  await database().pool.query(
    `create table ${nameOf(table, days)} partition of ${table}
       for values from ('${dayAgo(days)}') to ('${dayAgo(days - 1)}')`,
  );
};

const exists = async (table: string): Promise<boolean> => {
  const { rowCount } = await database().pool.query(
    'select from pg_class where relname = $1 and relispartition',
    [table],
  );
  return rowCount === 1;
};
