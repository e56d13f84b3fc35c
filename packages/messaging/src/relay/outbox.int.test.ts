import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import { insertOutbox, inTransaction, postgresNotifier } from '@junction/eventsourcing-postgres';
import { eventually, rowsRead, useBroker, useDatabase } from '@junction/testing';
import { messagingDatabase } from '../../test/messaging-database.js';
import { silentLog } from '../../test/silent-log.js';
import { kafkaClient } from '../kafka/kafka-client.js';
import type { Meter } from '../meter.js';
import { outboxBacklog } from './backlog.js';
import { readOutbox } from './outbox-rows.js';
import { startRelay } from './relay.js';

const database = useDatabase(messagingDatabase);
const { brokers, prefix } = useBroker();
const kafka = kafkaClient({ brokers, clientId: 'measures-test', log: silentLog });
const open: { stop(): Promise<unknown> }[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map(async (each) => each.stop()));
  await database().pool.query('truncate outbox');
});

/**
 * What the outbox event router of Debezium takes its parts from unless told otherwise: the options
 * table.field.event.id, route.by.field, table.field.event.key, and table.field.event.payload; `type` is
 * in its table too (debezium.io/documentation/reference/stable/transformations/outbox-event-router.html).
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

  it('gives the oldest rows of a lane without a look at those of others', async () => {
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
    // One more of each lane shows that the limit was met.
    expect(read).toBeLessThanOrEqual(1_002);
  });

  it('is measured while Kafka does not take it, and when it does', async () => {
    const name = randomUUID();
    const { meter, read, observed } = memoryMeter();
    await insert(name, ['a', 'a', 'a']);
    const { pool } = database();
    const notifier = postgresNotifier({ pool, onError: () => undefined });
    open.push({ stop: () => notifier.close() });
    const relay = await startRelay({
      pool,
      kafka,
      notifier,
      topicPrefix: prefix,
      owner: 'test',
      log: silentLog,
      meter,
    });
    open.push(relay);
    await eventually(async () => expect(await read('outbox_relay_lanes')).toBe(16));
    await eventually(async () => expect(await read('outbox_relay_up')).toBe(0));
    expect(await read('outbox_rows')).toBe(3);
    expect(await read('outbox_oldest_row_age_seconds')).toBeGreaterThan(0);

    const spec = { name, partitions: 1, retentionMs: -1 };
    await kafka.admin().ensureTopics([spec], prefix);
    await eventually(async () => expect(await read('outbox_rows')).toBe(0));
    await eventually(async () => expect(await read('outbox_relay_up')).toBe(1));
    expect(observed('outbox_batch_rows').reduce((sum, rows) => sum + rows, 0)).toBe(3);
  });
});

const insert = (topic: string, keys: readonly string[]) =>
  inTransaction(database().pool, (tx) =>
    insertOutbox(
      tx,
      keys.map((key) => ({ topic, key, type: 't', source: 's', payload: Buffer.from('{}') })),
    ),
  );

function memoryMeter() {
  const gauges = new Map<string, Parameters<Meter['gauge']>[3]>();
  const values = new Map<string, number[]>();
  const meter: Meter = {
    gauge: (name, _help, _labels, read) => void gauges.set(name, read),
    histogram(name) {
      const observed: number[] = [];
      values.set(name, observed);
      return (value) => void observed.push(value);
    },
  };
  return {
    meter,
    read: async (name: string) => (await gauges.get(name)?.())?.[0]?.value,
    observed: (name: string) => values.get(name) ?? [],
  };
}
