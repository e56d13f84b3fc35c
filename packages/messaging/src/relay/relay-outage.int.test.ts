import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { insertOutbox, inTransaction } from '@junction/eventsourcing/postgres';
import { eventually } from '@junction/testing';
import { useRelays, valuesOf, withoutRepetitions } from '../../test/relay-stage.js';
import type { Meter } from '../meter.js';
import { LANES } from './outbox-rows.js';

const { database, prefix, kafka, start, read, newTopic, insert, rowsLeft } = useRelays();

describe('a relay in an outage', () => {
  it('publishes everything although its connections to Postgres are cut', async () => {
    const topic = await newTopic();
    const relay = await start();
    const { records } = read(topic);
    for (let n = 1; n <= 10; n += 1) {
      await insert(
        topic,
        Array.from({ length: 10 }, (_, key) => [`key-${key}`, `${n}`]),
      );
      relay.wake();
      if (n % 3 === 0) await cutAllConnections();
    }

    await eventually(async () => expect(await rowsLeft()).toBe(0));
    const inOrder = Array.from({ length: 10 }, (_, n) => `${n + 1}`);
    for (let key = 0; key < 10; key += 1) {
      await eventually(() =>
        expect(withoutRepetitions(valuesOf(records, `key-${key}`))).toEqual(inOrder),
      );
    }
    await eventually(() => expect(relay.healthy()).toBe(true));
  });

  it('measures an outage of Kafka, survives it, and loses nothing', async () => {
    const name = randomUUID();
    const { meter, read: measured, observed } = memoryMeter();
    const common = { topic: name, key: 'a', type: 't', source: 's' };
    const rows = ['1', '2'].map((value) => ({ ...common, payload: Buffer.from(value) }));
    await inTransaction(database().pool, (tx) => insertOutbox(tx, rows));
    // A topic that is not there fails as a broker that is away does: nothing can be written.
    const relay = await start({ meter });
    await eventually(async () => expect(await measured('junction_outbox_relay_lanes')).toBe(LANES));
    await eventually(async () => expect(await measured('junction_outbox_relay_up')).toBe(0));
    expect(relay.healthy()).toBe(false);
    expect(await measured('junction_outbox_rows')).toBe(2);
    expect(await measured('junction_outbox_oldest_row_age_seconds')).toBeGreaterThan(0);

    await kafka.admin().ensureTopics([{ name, partitions: 1, retentionMs: -1 }], prefix);
    const { records } = read(name);
    await eventually(() => expect(valuesOf(records, 'a')).toEqual(['1', '2']));
    await eventually(async () => expect(await measured('junction_outbox_rows')).toBe(0));
    await eventually(async () => expect(await measured('junction_outbox_relay_up')).toBe(1));
    expect(observed('junction_outbox_batch_rows').reduce((sum, rows) => sum + rows, 0)).toBe(2);
  });
});

const cutAllConnections = () =>
  database().pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`,
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
