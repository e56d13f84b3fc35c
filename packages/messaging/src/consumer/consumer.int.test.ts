import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { deferred } from '@junction/async';
import type { KafkaPort } from '@junction/kafka';
import { eventually } from '@junction/testing';
import { numbers, useConsumerStage } from '../../test/consumer-stage.js';

const stage = useConsumerStage();
const { database, prefix, start, newTopic, send, store } = stage;
const { effects, deadLetters, deleteRecords, storedOffset, storeOffset } = stage;

describe('a consumer', () => {
  it('gives each record one effect while members come, go and start again', async () => {
    const topic = await newTopic(6);
    const group = randomUUID();
    const first = await start({ topics: [topic], group, batchMax: 7 });
    await send(topic, numbers(1, 100));
    const second = await start({ topics: [topic], group, batchMax: 7 });
    await send(topic, numbers(101, 200));
    await eventually(() => expect(second.status()).toHaveLength(3));
    await first.stop();
    await send(topic, numbers(201, 300));
    await second.stop();
    await start({ topics: [topic], group });

    await eventually(async () => expect(await effects(topic)).toHaveLength(300));
    expect(new Set(await effects(topic)).size).toBe(300);
  });

  it('has caught up when all records that were there have taken effect', async () => {
    const topic = await newTopic(3);
    await send(topic, numbers(1, 50));
    const consumer = await start({ topics: [topic] });
    expect(consumer.caughtUp()).toBe(false);

    await eventually(() => expect(consumer.caughtUp()).toBe(true));
    expect(await effects(topic)).toHaveLength(50);
    expect(consumer.healthy()).toBe(true);
    expect(consumer.status().map(({ lag }) => lag)).toEqual([0n, 0n, 0n]);
  });

  it('calls back only after the commit', async () => {
    const topic = await newTopic();
    const seenAfter: Promise<readonly string[]>[] = [];
    await send(topic, ['a']);
    await start({
      topics: [topic],
      handle: async (records, tx) => {
        await store(records, tx);
        return () => void seenAfter.push(effects(topic));
      },
    });
    await eventually(async () => expect(await Promise.all(seenAfter)).toEqual([['a']]));
  });

  it('commits nothing to Kafka', async () => {
    const topic = await newTopic();
    const group = randomUUID();
    await send(topic, ['a']);
    const consumer = await start({ topics: [topic], group });
    await eventually(async () => expect(await effects(topic)).toEqual(['a']));
    await consumer.stop();

    const admin = await stage.foreignAdmin();
    const offsets = await admin.fetchOffsets({
      groupId: `${prefix}${group}`,
      topics: [`${prefix}${topic}`],
    });
    expect(offsets[0]?.partitions[0]?.offset).toBe('-1');
    expect(await storedOffset(group)).toBe('1');
  });

  it('does not handle records that waited for their turn when another assignment came', async () => {
    const busy = await Promise.all([newTopic(), newTopic(), newTopic(), newTopic()]);
    const topic = await newTopic();
    const { kafka, assignAnew } = stage.reassigning();
    const [waiting, turn] = [deferred<void>(), deferred<void>()];
    let [begun, rounds] = [0, 0];
    const noticing: KafkaPort = {
      ...kafka,
      runConsumer: (options) =>
        kafka.runConsumer({
          ...options,
          async onBatch(batch) {
            const handled = options.onBatch(batch);
            if (batch.topic === `${prefix}${topic}`) waiting.resolve();
            await handled;
          },
        }),
    };
    const consumer = await start({
      topics: [...busy, topic],
      kafka: noticing,
      async handle(records, tx) {
        const isOurs = records.some((record) => record.topic === `${prefix}${topic}`);
        if (isOurs) rounds += 1;
        else if (++begun <= busy.length) await turn.promise;
        await store(records, tx);
      },
    });
    for (const each of busy) await send(each, ['b']);
    await eventually(() => expect(begun).toBe(busy.length));
    await send(topic, ['a']);
    await waiting.promise;
    assignAnew();
    await eventually(() => expect(consumer.status()[0]?.state).toBe('running'));
    turn.resolve();
    await eventually(async () => expect(await effects(topic)).toEqual(['a']));
    expect(rounds).toBe(1);
  });

  it('takes fewer records at a time after as many were too long for a transaction', async () => {
    const topic = await newTopic();
    await send(topic, numbers(1, 20));
    await start({
      topics: [topic],
      batchMax: 16,
      handle: async (records, tx) => {
        await store(records, tx);
        if (records.length <= 4) return;
        await tx.query('set local statement_timeout = 1');
        await tx.query('select pg_sleep(30)');
      },
    });
    await eventually(async () => expect(await effects(topic)).toEqual(numbers(1, 20)));
  });

  it('goes on behind the gaps that transactions leave', async () => {
    const topic = await newTopic();
    const group = randomUUID();
    const consumer = await start({ topics: [topic], group, batchMax: 1 });
    const producer = await stage.foreignProducer({
      transactionalId: randomUUID(),
      idempotent: true,
      maxInFlightRequests: 1,
    });
    for (const [value, end] of [
      ['a', 'commit'],
      ['b', 'abort'],
      ['c', 'commit'],
      ['d', 'abort'],
    ] as const) {
      const transaction = await producer.transaction();
      await transaction.send({ topic: `${prefix}${topic}`, messages: [{ key: 'k', value }] });
      await transaction[end]();
    }

    await eventually(async () => expect(await effects(topic)).toEqual(['a', 'c']));
    // Four records and four markers; the last fetches held nothing, and are stored all the same.
    await eventually(async () => expect(await storedOffset(group)).toBe('8'));
    await consumer.stop();

    await send(topic, ['e']);
    await start({ topics: [topic], group });
    await eventually(async () => expect(await effects(topic)).toEqual(['a', 'c', 'e']));
  });
});

describe('a stored offset outside the log', () => {
  it('is not assumed when another member stored it after the log was measured', async () => {
    const topic = await newTopic();
    const group = randomUUID();
    await send(topic, ['a', 'b']);
    let isFirst = true;
    const kafka: KafkaPort = {
      ...stage.kafka,
      admin: () => ({
        ...stage.kafka.admin(),
        async logBounds(name) {
          const bounds = await stage.kafka.admin().logBounds(name);
          if (!isFirst) return bounds;
          isFirst = false;
          // The member that still has the partition takes a record that came just now.
          await send(topic, ['c']);
          await storeOffset(group, topic, 3);
          return bounds;
        },
      }),
    };
    const consumer = await start({ topics: [topic], group, kafka });
    await eventually(() => expect(consumer.status()[0]?.offset).toBe(3n));
    expect(consumer.status()[0]?.state).toBe('running');
  });

  it('stops the partition as lost when its records are gone, and no other partition', async () => {
    const topic = await newTopic(2);
    const group = randomUUID();
    const producer = await stage.foreignProducer();
    await producer.send({
      topic: `${prefix}${topic}`,
      messages: ['a', 'b', 'c', 'd'].map((value) => ({ value, partition: value < 'c' ? 0 : 1 })),
    });
    await storeOffset(group, topic, 0);
    await deleteRecords(topic, '1');

    const consumer = await start({ topics: [topic], group });
    await eventually(() =>
      expect(consumer.status().map(({ partition, state }) => [partition, state])).toEqual(
        expect.arrayContaining([
          [0, 'offset_lost'],
          [1, 'running'],
        ]),
      ),
    );
    await eventually(async () => expect(await effects(topic)).toEqual(['c', 'd']));
  });
});

it('the ids of records are deleted after a week, from the start of a consumer on', async () => {
  const group = randomUUID();
  await database().pool.query(
    `insert into consumer_inbox (consumer, source, id, seen_at)
       select $1, 's', n::text, now() - interval '8 days' from generate_series(1, 25000) n
        union all select $1, 's', 'young', now() - interval '6 days'`,
    [group],
  );
  await start({ topics: [await newTopic()], group });
  await eventually(async () => {
    const { rows } = await database().pool.query(
      'select id from consumer_inbox where consumer = $1 limit 3',
      [group],
    );
    expect(rows).toEqual([{ id: 'young' }]);
  });
});

it('a failure of the infrastructure never makes a dead letter, however often the connections are cut', async () => {
  const topic = await newTopic(4);
  const consumer = await start({ topics: [topic], batchMax: 5 });
  const cutting = cutConnectionsUntilStopped();
  await send(topic, numbers(1, 200));

  await eventually(() => expect(cutting.cuts()).toBeGreaterThan(5));
  await cutting.stop();
  await eventually(async () => expect(await effects(topic)).toHaveLength(200));
  expect(new Set(await effects(topic)).size).toBe(200);
  expect(await deadLetters(topic)).toEqual([]);
  await eventually(() => expect(consumer.healthy()).toBe(true));
});

/** Ends the server's side of every connection to this database, over and over. */
function cutConnectionsUntilStopped() {
  let cuts = 0;
  const stopping = new AbortController();
  const cutting = (async () => {
    while (!stopping.signal.aborted) {
      const { rows } = await database().pool.query<{ cut: number }>(
        `select count(*) filter (where pg_terminate_backend(pid))::int as cut
           from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`,
      );
      cuts += rows[0]?.cut ?? 0;
    }
  })();
  const stop = async (): Promise<void> => {
    stopping.abort();
    await cutting;
  };
  stage.open.push({ stop });
  return { cuts: () => cuts, stop };
}
