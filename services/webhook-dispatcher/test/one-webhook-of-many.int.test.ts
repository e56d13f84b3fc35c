import { describe, expect, it } from '@jest/globals';
import { migrate } from '@junction/eventsourcing/postgres';
import { useDatabase } from '@junction/testing';
import type pg from 'pg';
import { migrations } from '../migrations/index.js';

const NEWEST = migrations.slice(
  migrations.findIndex(({ name }) => name === 'webhooks/0015_one_webhook_of_many'),
);
const BEFORE = migrations.slice(0, -NEWEST.length);
const DAY = '2026-03-05';
const PARTITIONS = ['20260305', '20260306'];

describe('outcomes by status', () => {
  const asked = useDatabase();
  const made = useDatabase();

  it('are indexed and marked while others write them', async () => {
    const { pool, url } = asked();
    await migrate(url, BEFORE);
    await fill(pool);
    const writer = await pool.connect();
    await writer.query('begin');
    // Through the table itself it would wait at the index of the whole, which is made within milliseconds.
    await addOutcome(writer, 3, `outcomes_${PARTITIONS[0]}`);
    let migrating: Promise<readonly string[]> | undefined;
    const heard = new Promise<string>((resolve) => {
      migrating = migrate(url, migrations, { onWait: resolve });
    });
    // The migration waits for the writer, and nobody waits for the migration.
    expect(await heard).toContain('A statement waits for a lock of session');
    await addOutcome(pool, 4);
    await writer.query('commit');
    writer.release();
    expect(await migrating).toEqual(NEWEST.map(({ name }) => name));
    const { rows } = await pool.query('select delivery_id, sent_again from outcomes order by 1');
    expect(rows).toEqual(
      [true, false, false, false].map((sent_again, n) => ({
        delivery_id: idOf(n + 1),
        sent_again,
      })),
    );
  });

  it('have the same indexes where the migration before had made one already', async () => {
    const { pool, url } = made();
    await migrate(url, BEFORE);
    await fill(pool);
    await pool.query(
      `create index outcomes_by_status on outcomes (webhook_id, status, sent_again, delivery_id);
       drop index outcomes_held`,
    );
    await migrate(url, migrations);
    const indexes = await indexesOf(pool);
    expect(indexes).toEqual(await indexesOf(asked().pool));
    expect(indexes.map(({ is_valid }) => is_valid)).not.toContain(false);
  });
});

async function fill(pool: pg.Pool): Promise<void> {
  for (const day of PARTITIONS) {
    await pool.query(
      `create table outcomes_${day} partition of outcomes for values from ('${day}') to ('${day}'::date + 1);
       create table attempts_${day} partition of attempts for values from ('${day}') to ('${day}'::date + 1)`,
    );
  }
  for (const n of [1, 2]) await addOutcome(pool, n);
  // As the version before the trigger has written it.
  await pool.query(
    `alter table redeliveries disable trigger user;
     insert into redeliveries (original_id, delivery_id, day, user_id) values ('${idOf(1)}', '${idOf(9)}', '${DAY}', '${idOf(0)}');
     alter table redeliveries enable trigger user`,
  );
}

const addOutcome = (db: pg.Pool | pg.PoolClient, n: number, table = 'outcomes') =>
  db.query(
    `insert into ${table} (day, delivery_id, webhook_id, status, at)
     values ('${DAY}', '${idOf(n)}', '${idOf(0)}', 'held', now())`,
  );

/** An id of that day (UUIDv7). */
const idOf = (n: number): string => {
  const hex = Date.parse(DAY).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-00000000000${n}`;
};

async function indexesOf(pool: pg.Pool) {
  const { rows } = await pool.query<{ name: string; is_valid: boolean }>(
    `select c.relname as name, i.indisvalid as is_valid from pg_index i join pg_class c on c.oid = i.indexrelid
      where i.indrelid::regclass::text ~ '^outcomes' order by 1`,
  );
  return rows;
}
