import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { silentLog } from '@junction/kafka';
import { eventually } from '@junction/testing';
import { useConsumerStage } from '../../test/consumer-stage.js';
import { operations } from '../operations.js';
import type { Prepare } from './handle.js';

/** Text that is small enough for a broker when compressed, and far more than is ever decoded at once. */
const BOMB = 'a'.repeat(20 * 1_024 * 1_024);

const atOnce: Prepare = async (records) =>
  records.map((record) => ({ ...record, ready: Promise.resolve() }));

const stage = useConsumerStage();
const { database, kafka, prefix, start, newTopic, sendCompressed, effects, storedOffset } = stage;

describe.each([
  ['handles records as they come', {}],
  ['drops duplicates', { dropDuplicates: true }],
  ['prepares', { prepare: atOnce }],
])('a consumer that %s', (_, options) => {
  it('sets a batch aside that cannot be decoded, and goes on behind it', async () => {
    const topic = await newTopic(2);
    const group = randomUUID();
    await sendCompressed(topic, 0, ['1'], ['2', BOMB], ['4']);
    await sendCompressed(topic, 1, ['a']);
    const consumer = await start({ topics: [topic], group, ...options });

    await eventually(async () =>
      expect((await effects(topic)).toSorted()).toEqual(['1', '4', 'a']),
    );
    expect(await letters(topic)).toEqual([
      {
        consumer: group,
        partition: 0,
        record_offset: '2',
        reason_code: 'batch_undecodable',
        reason_text: expect.stringContaining('2 records with gzip, offsets 1 to 2,'),
        payload: null,
      },
    ]);
    await eventually(() => expect(consumer.caughtUp()).toBe(true));
    expect(consumer.healthy()).toBe(true);
  });
});

it('a redrive of a batch that cannot be decoded fails with the same reason', async () => {
  const topic = await newTopic();
  await sendCompressed(topic, 0, [BOMB]);
  const consumer = await start({ topics: [topic] });
  await eventually(async () => expect(await letters(topic)).toHaveLength(1));

  const { pool } = database();
  const ops = operations({
    pool,
    kafka,
    topicPrefix: prefix,
    consumers: [consumer],
    log: silentLog,
  });
  const redriven = await ops.redrive({ filter: { topic } }, { by: 'operator' });
  expect(redriven.results).toMatchObject([
    { outcome: 'failed', reason: { code: 'batch_undecodable' } },
  ]);
  expect(await effects(topic)).toEqual([]);
});

it('a partition whose transaction cannot even begin waits alone, and the consumer stays', async () => {
  const topic = await newTopic();
  const group = randomUUID();
  // After seven failures kafkajs has given up.
  let failures = 7;
  await sendCompressed(topic, 0, ['1'], ['2']);
  let assignments = 0;
  const counting = {
    ...kafka,
    runConsumer: (options: Parameters<typeof kafka.runConsumer>[0]) =>
      kafka.runConsumer({
        ...options,
        onAssigned(...assigned) {
          assignments += 1;
          return options.onAssigned(...assigned);
        },
      }),
  };
  await start({
    topics: [topic],
    group,
    kafka: counting,
    pool: stage.beginning(async () => {
      if (failures-- > 0) throw new Error('not now');
    }),
  });
  await eventually(async () => expect(await effects(topic)).toEqual(['1', '2']));
  expect(await storedOffset(group)).toBe('2');
  expect(assignments).toBe(1);
});

async function letters(topic: string): Promise<readonly object[]> {
  const { rows } = await database().pool.query<object>(
    `select consumer, partition, record_offset, reason_code, reason_text, payload
       from dead_letters where topic = $1`,
    [topic],
  );
  return rows;
}
