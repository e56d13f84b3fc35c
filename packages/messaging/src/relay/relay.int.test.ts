import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { insertOutbox, inTransaction, postgresNotifier } from '@junction/eventsourcing/postgres';
import { type InboundRecord, type KafkaPort, kafkaClient, silentLog } from '@junction/kafka';
import { eventually, useBroker, useDatabase } from '@junction/testing';
import { Pool } from 'pg';
import { messagingDatabase } from '../../test/messaging-database.js';
import { readTopic } from '../../test/read-topic.js';
import type { Meter } from '../meter.js';
import { LANES } from './outbox-rows.js';
import { type RelayOptions, startRelay } from './relay.js';

const database = useDatabase(messagingDatabase);
const { brokers, prefix } = useBroker();
const open: { stop(): Promise<unknown> }[] = [];
const QUICK_LEASE = { renewMs: 200, expiryMs: 900 };
let kafka: KafkaPort;

beforeAll(() => {
  kafka = kafkaClient({ brokers, clientId: 'relay-test', log: silentLog });
});

afterEach(async () => {
  await Promise.all(open.splice(0).map(async (each) => each.stop()));
  await database().pool.query('truncate outbox; delete from relay_owners');
  await database().pool.query('update relay_leases set owner = null');
});

describe('a relay', () => {
  it('publishes every row once, the rows of a key in order, with their headers', async () => {
    const topic = await newTopic();
    const relay = await start();
    for (let n = 1; n <= 5; n += 1) {
      await insert(
        topic,
        Array.from({ length: 40 }, (_, key) => [`key-${key}`, `${n}`]),
      );
      relay.wake();
    }

    const { records } = read(topic);
    await eventually(() => expect(records).toHaveLength(200));
    await eventually(async () => expect(await rowsLeft()).toBe(0));
    expect(records).toHaveLength(200);
    for (let key = 0; key < 40; key += 1) {
      expect(valuesOf(records, `key-${key}`)).toEqual(['1', '2', '3', '4', '5']);
    }
    expect(records[0]?.headers).toEqual({ ce_id: expect.any(String), ce_type: 'counted' });
    await eventually(() => expect(relay.healthy()).toBe(true));
  });

  it('publishes rows that nobody notified about, and rows that another process notified about', async () => {
    const topic = await newTopic();
    await start();
    const { records } = read(topic);
    await insert(topic, [['a', 'polled']]);
    await eventually(() => expect(records).toHaveLength(1));

    // A process that holds no lane, such as one whose lease has not come yet, notifies the others.
    const caller = await start();
    await insert(topic, [['a', 'called']]);
    caller.wake();
    await eventually(() => expect(valuesOf(records, 'a')).toEqual(['polled', 'called']));
  });

  it('sends payloads that together are more than a broker takes at once', async () => {
    const topic = await newTopic(1);
    const big = 'x'.repeat(200 * 1024);
    await insert(
      topic,
      Array.from({ length: 12 }, () => ['one-key', big]),
    );
    await start();

    await eventually(async () => expect(await rowsLeft()).toBe(0));
    const { records } = read(topic);
    await eventually(() => expect(records).toHaveLength(12));
  });

  it('divides the lanes with another relay, and has all of them again when that one stops', async () => {
    const first = await start();
    await eventually(async () => expect(await lanesByOwner()).toEqual([LANES]));
    const second = await start();
    await eventually(async () => expect(await lanesByOwner()).toEqual([LANES / 2, LANES / 2]));

    await second.stop();
    await eventually(async () => expect(await lanesByOwner()).toEqual([LANES]));
    expect(first.healthy()).toBe(true);
  });

  it('takes over from a relay that was killed, once its leases ran out', async () => {
    const topic = await newTopic();
    // These rows are left behind by a killed process.
    await database().pool.query(`
      insert into relay_owners values ('killed', now() + interval '700 ms', '{}');
      update relay_leases set owner = 'killed', epoch = 7, expires_at = now() + interval '700 ms'`);
    await insert(topic, [['a', 'left behind']]);
    await start();

    const { records } = read(topic);
    await eventually(() => expect(valuesOf(records, 'a')).toEqual(['left behind']));
    await eventually(async () => expect(await lanesByOwner()).toEqual([LANES]));
    const { rows } = await database().pool.query(
      'select min(epoch)::int as epoch from relay_leases',
    );
    expect(rows).toEqual([{ epoch: 8 }]);
  });

  it('loses and repeats nothing of a key while lanes change hands under load', async () => {
    const topic = await newTopic();
    // Long leases: on a slow machine too, lanes move because they are given up, not because they ran out.
    const lease = { renewMs: 200, expiryMs: 20_000 };
    const relays = [await start({ lease }), await start({ lease })];
    const { records } = read(topic);
    for (let n = 1; n <= 12; n += 1) {
      await insert(
        topic,
        Array.from({ length: 20 }, (_, key) => [`key-${key}`, `${n}`]),
      );
      relays.forEach((relay) => relay.wake());
      if (n === 4) relays.push(await start({ lease }));
      if (n === 8) await relays.shift()?.stop();
    }

    await eventually(async () => expect(await rowsLeft()).toBe(0));
    await eventually(() => expect(records.length).toBeGreaterThanOrEqual(240));
    for (let key = 0; key < 20; key += 1) {
      expect(valuesOf(records, `key-${key}`)).toEqual(
        Array.from({ length: 12 }, (_, n) => `${n + 1}`),
      );
    }
  });
});

describe('a row that cannot be sent', () => {
  it('holds up its lane, not the rows before it, and repeats none of them', async () => {
    const topic = await newTopic(1);
    const { records } = read(topic);
    const failures: object[] = [];
    const log = { ...silentLog, warn: (fields: object) => void failures.push(fields) };
    await insert(topic, [
      ['a', '1'],
      ['a', '2'],
    ]);
    await insert(randomUUID(), [['a', 'to a topic that is not there']]);
    await insert(topic, [['a', '3']]);
    await start({ log });

    // The row has failed twice on its own, after all rows before it were sent.
    await eventually(() => expect(failures.filter(isOfOneRow).length).toBeGreaterThan(1), SLOW);
    expect(await rowsLeft()).toBe(2);
    const sentSoFar = await sentTo(topic);
    const failedSoFar = failures.length;
    await eventually(() => expect(failures.length).toBeGreaterThan(failedSoFar), SLOW);
    expect(await sentTo(topic)).toBe(sentSoFar);
    await eventually(() => expect(records).toHaveLength(Number(sentSoFar)));
    expect(withoutRepetitions(valuesOf(records, 'a'))).toEqual(['1', '2']);
  });
});

describe('a row that is committed while another one is read', () => {
  it('is sent after that one, without waiting for the next poll', async () => {
    const topic = await newTopic(1);
    let isFirstRead = true;
    const pool = new Pool({ connectionString: database().url, max: 4, pipeline: true });
    const query = pool.query.bind(pool) as (...args: unknown[]) => Promise<{ rows: unknown[] }>;
    Object.assign(pool, {
      query: async (...args: unknown[]) => {
        const answer = await query(...args);
        if (isFirstRead && answer.rows.length > 0 && isOutboxRead(args[0])) {
          isFirstRead = false;
          await insert(topic, [['a', '2']]);
          relay.wake();
        }
        return answer;
      },
    });
    const lease = { renewMs: 60_000, expiryMs: 120_000 };
    const relay = await start({ pool, lease });
    open.push({ stop: async () => pool.end() });

    await eventually(async () => expect(await lanesByOwner()).toEqual([LANES]));

    await insert(topic, [['a', '1']]);
    relay.wake();
    const { records } = read(topic);
    await eventually(() => expect(valuesOf(records, 'a')).toEqual(['1', '2']));
    await eventually(async () => expect(await rowsLeft()).toBe(0));
  });
});

describe('a relay that was paused past its lease', () => {
  it('deletes nothing of a lane that has gone to another epoch', async () => {
    const topic = await newTopic();
    const gate = gatedKafka();
    const relay = await start({ kafka: gate.kafka });
    await insert(topic, [['a', '1']]);
    await eventually(() => expect(gate.waiting()).toBe(1));

    // Another process has meanwhile become the owner of everything, and more is to be sent.
    await database().pool.query(
      `update relay_leases set owner = 'other', epoch = epoch + 1, expires_at = now() + interval '1 h'`,
    );
    await insert(topic, [['a', '2']]);
    gate.open();

    const { records } = read(topic);
    await eventually(() => expect(valuesOf(records, 'a')).toEqual(['1']));
    await relay.stop(); // after what was in flight
    expect(gate.waiting()).toBe(1);
    expect(await rowsLeft()).toBe(2);
  });
});

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

async function start(options: Partial<RelayOptions> = {}) {
  const pool = new Pool({ connectionString: database().url, max: 4, pipeline: true });
  pool.on('error', () => undefined);
  const notifier = postgresNotifier({ pool, onError: () => undefined });
  const relay = await startRelay({
    pool,
    kafka,
    notifier,
    topicPrefix: prefix,
    owner: 'test',
    log: silentLog,
    lease: QUICK_LEASE,
    ...options,
  });
  let ending: Promise<void> | undefined;
  const stop = () =>
    (ending ??= relay
      .stop()
      .then(notifier.close)
      .then(async () => pool.end()));
  open.push({ stop });
  return { ...relay, stop };
}

function read(topic: string) {
  const reading = readTopic(kafka, `${prefix}${topic}`);
  open.push(reading);
  return reading;
}

/** Returns the number of records in a topic of one partition. */
const sentTo = async (topic: string): Promise<bigint | undefined> =>
  (await kafka.admin().logBounds(`${prefix}${topic}`)).get(0)?.high;

async function newTopic(partitions = 4): Promise<string> {
  const name = randomUUID();
  await kafka.admin().ensureTopics([{ name, partitions, retentionMs: -1 }], prefix);
  return name;
}

const insert = (topic: string, rows: readonly (readonly [string, string])[]) =>
  database().pool.query(
    `insert into outbox (aggregatetype, aggregateid, type, headers, payload)
     select $1, key, 'counted', jsonb_build_object('ce_id', gen_random_uuid(), 'ce_type', 'counted'),
            convert_to(value, 'utf8')
       from unnest($2::text[], $3::text[]) with ordinality as r (key, value, n) order by n`,
    [topic, rows.map(([key]) => key), rows.map(([, value]) => value)],
  );

async function rowsLeft(): Promise<number> {
  const { rows } = await database().pool.query<{ n: number }>(
    'select count(*)::int as n from outbox',
  );
  return rows[0]?.n ?? -1;
}

async function lanesByOwner(): Promise<readonly number[]> {
  const { rows } = await database().pool.query<{ n: number }>(
    'select count(*)::int as n from relay_leases where owner is not null and expires_at > now() group by owner',
  );
  return rows.map(({ n }) => n);
}

const SLOW = { deadlineMs: 30_000 };

const isOfOneRow = (fields: object): boolean => 'rows' in fields && fields.rows === 1;

const isOutboxRead = (query: unknown): boolean =>
  typeof query === 'object' &&
  query !== null &&
  'name' in query &&
  query.name === 'junction_outbox_read';

const cutAllConnections = () =>
  database().pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`,
  );

const valuesOf = (records: readonly InboundRecord[], key: string): string[] =>
  records.filter((record) => record.key === key).map(({ value }) => value?.toString() ?? '');

/** Drops repetitions as a consumer does: a lower or equal number is a repetition. */
const withoutRepetitions = (values: readonly string[]): string[] =>
  values.reduce<string[]>(
    (kept, value) => (Number(value) > Number(kept.at(-1) ?? 0) ? [...kept, value] : kept),
    [],
  );

/** Returns the real broker behind a gate that the test opens: a process that hangs between read and send. */
function gatedKafka() {
  let letThrough: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    letThrough = resolve;
  });
  let waiting = 0;
  const gated: KafkaPort = {
    ...kafka,
    async producer() {
      const producer = await kafka.producer();
      return {
        ...producer,
        async sendBatch(records) {
          waiting += 1;
          await opened;
          await producer.sendBatch(records);
        },
      };
    },
  };
  return { kafka: gated, waiting: () => waiting, open: letThrough };
}

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
