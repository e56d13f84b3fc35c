import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { deferred } from '@junction/async';
import { silentLog } from '@junction/kafka';
import { eventually } from '@junction/testing';
import { Pool } from 'pg';
import { useRelays, valuesOf, withoutRepetitions } from '../../test/relay-stage.js';
import { LANES } from './outbox-rows.js';

const relays = useRelays();
const { database, prefix, kafka, open, start, read, newTopic, insert, rowsLeft } = relays;
const { sendingBy } = relays;

describe('a relay', () => {
  it('publishes rows that nobody notified about, and rows that another process notified about', async () => {
    const topic = await newTopic();
    await start();
    const { records } = read(topic);
    await insert(topic, [['a', 'polled']]);
    await eventually(() => expect(records).toHaveLength(1));
    expect(records[0]?.headers).toEqual({ ce_id: expect.any(String), ce_type: 'counted' });

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

  it('loses and repeats nothing of a key while lanes change hands under load', async () => {
    const topic = await newTopic();
    // Long leases: on a slow machine too, lanes move because they are given up, not because they ran out.
    const lease = { renewMs: 200, expiryMs: 20_000 };
    const started = [await start({ lease }), await start({ lease })];
    const { records } = read(topic);
    for (let n = 1; n <= 12; n += 1) {
      await insert(
        topic,
        Array.from({ length: 20 }, (_, key) => [`key-${key}`, `${n}`]),
      );
      started.forEach((relay) => relay.wake());
      if (n === 4) started.push(await start({ lease }));
      if (n === 8) await started.shift()?.stop();
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

it('a row that cannot be sent holds up its lane, not the rows before it, and repeats none of them', async () => {
  const topic = await newTopic(1);
  const { records } = read(topic);
  const failures: object[] = [];
  const log = { ...silentLog, warn: (fields: object) => void failures.push(fields) };
  await insert(topic, [
    ['a', '1'],
    ['a', '2'],
  ]);
  const nowhere = randomUUID();
  await insert(nowhere, [['a', 'to a topic that is not there']]);
  await insert(topic, [['a', '3']]);
  const refusing = sendingBy(async (records, pass) => {
    if (records.some(({ topic: to }) => to.endsWith(nowhere))) throw new Error('no such topic');
    await pass();
  });
  await start({ log, kafka: refusing });

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

it('a row that is committed while another one is read is sent after that one, without waiting for the next poll', async () => {
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

it('a relay that was paused past its lease deletes nothing of a lane that has gone to another epoch', async () => {
  const topic = await newTopic();
  const gate = deferred<void>();
  let waiting = 0;
  const held = sendingBy(async (_records, pass) => {
    waiting += 1;
    await gate.promise;
    await pass();
  });
  const relay = await start({ kafka: held });
  await insert(topic, [['a', '1']]);
  await eventually(() => expect(waiting).toBe(1));

  // Another process has meanwhile become the owner of everything, and more is to be sent.
  await database().pool.query(
    `update relay_leases set owner = 'other', epoch = epoch + 1, expires_at = now() + interval '1 h'`,
  );
  await insert(topic, [['a', '2']]);
  gate.resolve();

  const { records } = read(topic);
  await eventually(() => expect(valuesOf(records, 'a')).toEqual(['1']));
  await relay.stop(); // after what was in flight
  expect(waiting).toBe(1);
  expect(await rowsLeft()).toBe(2);
});

/** Returns the number of records in a topic of one partition. */
const sentTo = async (topic: string): Promise<bigint | undefined> =>
  (await kafka.admin().logBounds(`${prefix}${topic}`)).get(0)?.high;

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
