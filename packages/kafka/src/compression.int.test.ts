import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@junction/testing';
import { type Admin, CompressionTypes, Kafka, logLevel } from 'kafkajs';
import { usePort } from '../test/port-stage.js';
import type { InboundRecord } from './kafka-port.js';

const MEBIBYTE = 1_024 * 1_024;
/** Text that is small enough for a broker when compressed, and far more than is ever decoded at once. */
const BOMB = 'a'.repeat(20 * MEBIBYTE);

const { brokers, prefix, kafka, open, consume, foreignProducer } = usePort();
let admin: Admin;

beforeAll(async () => {
  admin = new Kafka({ brokers, logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
});
afterAll(async () => admin.disconnect());

// The broker compresses anew, as Java does, whatever the producer sends.
describe.each(['gzip', 'snappy', 'lz4', 'zstd'])('a topic whose compression.type is %s', (type) => {
  it('is read like any other, several records in a batch', async () => {
    const topic = await newTopic(type);
    const values = Array.from(
      { length: 500 },
      (_, index) => `{"n":${index},"pad":"${'x'.repeat(200)}"}`,
    );
    const producer = await kafka.producer();
    open.push({ stop: async () => producer.close() });
    await producer.sendBatch(
      values.map((value) => ({
        topic,
        key: 'k',
        headers: { ce_id: 'é' },
        value: Buffer.from(value),
      })),
    );
    const records = consumed(topic);
    await eventually(() => expect(records.map(textOf)).toEqual(values));
    expect(records.map(({ offset }) => offset)).toEqual(values.map((_, index) => BigInt(index)));
    expect(records[0]?.headers).toEqual({ ce_id: 'é' });
  });

  it('shows what a transaction committed, and nothing of one that was aborted', async () => {
    const topic = await newTopic(type);
    const producer = await foreignProducer({ transactionalId: randomUUID(), idempotent: true });
    for (const [values, end] of [
      [['1', '2'], 'commit'],
      [['3', '4'], 'abort'],
      [['5', '6'], 'commit'],
    ] as const) {
      const transaction = await producer.transaction();
      await transaction.send({ topic, messages: values.map((value) => ({ value })) });
      await transaction[end]();
    }
    const records = consumed(topic);
    await eventually(() => expect(records.map(textOf)).toEqual(['1', '2', '5', '6']));
  });
});

it('a batch that cannot be decoded is passed over in a transaction that was aborted', async () => {
  const topic = await newTopic();
  const producer = await foreignProducer({ transactionalId: randomUUID(), idempotent: true });
  const transaction = await producer.transaction();
  await transaction.send({
    topic,
    compression: CompressionTypes.GZIP,
    messages: [{ value: BOMB }],
  });
  await transaction.abort();
  await producer.send({ topic, messages: [{ value: 'next' }] });
  const records = consumed(topic);
  await eventually(() => expect(records.map(textOf)).toEqual(['next']));
});

const textOf = ({ value }: InboundRecord): string => String(value);

async function newTopic(type = 'producer'): Promise<string> {
  const topic = `${prefix}${randomUUID()}`;
  const configEntries = [{ name: 'compression.type', value: type }];
  const topics = [{ topic, numPartitions: 1, configEntries }];
  // kafkajs gives up where a busy broker does not know the new topic yet.
  await admin.createTopics({ topics, waitForLeaders: false });
  await eventually(async () => admin.fetchTopicMetadata({ topics: [topic] }));
  return topic;
}

/** Reads a topic from its beginning on, into a list that grows. */
function consumed(topic: string): readonly InboundRecord[] {
  const records: InboundRecord[] = [];
  consume({
    topics: [topic],
    async onBatch(batch) {
      records.push(...batch.records);
      batch.resolve(batch.lastOffset);
    },
  });
  return records;
}
