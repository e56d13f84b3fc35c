import { afterEach, describe, expect, it } from '@jest/globals';
import { insertOutbox, inTransaction } from '@junction/eventsourcing/postgres';
import { rowsRead, useDatabase } from '@junction/testing';
import { messagingDatabase } from '../../test/messaging-database.js';
import { outboxBacklog } from './backlog.js';
import { readOutbox } from './outbox-rows.js';

const database = useDatabase(messagingDatabase);

afterEach(async () => {
  await database().pool.query('truncate outbox');
});

/**
 * Columns that the outbox event router of Debezium reads by default: the options table.field.event.id, route.by.field,
 * table.field.event.key, and table.field.event.payload; its table has `type` too
 * (debezium.io/documentation/reference/stable/transformations/outbox-event-router.html).
 */
const DEBEZIUM_DEFAULTS = ['id', 'aggregatetype', 'aggregateid', 'type', 'payload'];

describe('the outbox', () => {
  it('is measured by its rows and the age of the oldest', async () => {
    const { pool } = database();
    expect(await outboxBacklog(pool)).toEqual({ rows: 0, oldestAgeS: 0 });
    await insert('somewhere', ['a', 'b', 'c']);
    await pool.query(`
      update outbox set headers = headers::jsonb || '{"ce_time": "2020-01-01T00:00:00.000Z"}'
       where aggregateid = 'b'`);
    const { rows, oldestAgeS } = await outboxBacklog(pool);
    expect(rows).toBe(3);
    expect(oldestAgeS).toBeGreaterThan(365 * 86_400);
  });

  it('has the columns that Debezium looks for, each always filled', async () => {
    const { rows } = await database().pool.query<{ name: string; nullable: string; type: string }>(
      `select column_name as name, is_nullable as nullable, data_type as type
         from information_schema.columns where table_name = 'outbox' and column_name = any ($1)`,
      [DEBEZIUM_DEFAULTS],
    );
    expect(Object.fromEntries(rows.map(({ name, type }) => [name, type]))).toEqual({
      id: 'bigint',
      aggregatetype: 'text',
      aggregateid: 'text',
      type: 'text',
      payload: 'bytea',
    });
    expect(new Set(rows.map(({ nullable }) => nullable))).toEqual(new Set(['NO']));
  });

  it('returns the oldest rows of a lane without reading those of other lanes', async () => {
    const { pool } = database();
    await pool.query(`
      insert into outbox (aggregatetype, aggregateid, type, headers, payload)
      select 'topic', 'key-' || n, 'type', '{}', repeat('x', 200)::bytea from generate_series(1, 50000) n`);
    await pool.query('analyze outbox');
    const read = await inTransaction(pool, async (tx) =>
      rowsRead(tx, 'outbox', async () => {
        const rows = await readOutbox(tx, [3, 7]);
        expect(new Set(rows.map(({ lane }) => lane))).toEqual(new Set([3, 7]));
        expect(rows).toHaveLength(1_000);
      }),
    );
    expect(read).toBeGreaterThanOrEqual(1_000);
    // A further row of each lane shows that the limit was met.
    expect(read).toBeLessThanOrEqual(1_002);
  });
});

const insert = (topic: string, keys: readonly string[]) =>
  inTransaction(database().pool, (tx) =>
    insertOutbox(
      tx,
      keys.map((key) => ({ topic, key, type: 't', source: 's', payload: Buffer.from('{}') })),
    ),
  );
