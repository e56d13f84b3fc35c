import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, useBroker } from '@junction/testing';
import { type Admin, CompressionTypes, Kafka, logLevel, Partitioners } from 'kafkajs';
import { kafkaClient } from './kafka-client.js';
import type { InboundRecord, KafkaPort } from './kafka-port.js';
import { silentLog } from './log.js';

const MEBIBYTE = 1_024 * 1_024;
/** Text that is small enough for a broker when compressed, and far more than is ever decoded at once. */
const BOMB = 'a'.repeat(20 * MEBIBYTE);

const { brokers, prefix } = useBroker();
const foreign = new Kafka({ brokers, logLevel: logLevel.NOTHING });
const open: { stop(): Promise<unknown> }[] = [];
let kafka: KafkaPort;
let admin: Admin;

beforeAll(async () => {
  kafka = kafkaClient({ brokers, clientId: 'compression-test', log: silentLog });
  admin = foreign.admin();
  await admin.connect();
});

afterEach(async () => {
  await Promise.all(open.splice(0).map(async (each) => each.stop()));
});

afterAll(async () => admin.disconnect());

// The broker compresses anew, as Java does, whatever the producer sends.
describe.each(['gzip', 'snappy', 'lz4', 'zstd'])('a topic whose compression.type is %s', (type) => {
  it('is read like any other, several records in a batch', async () => {
    const topic = await newTopic({ type });
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
    const seen = consumed(topic);
    await eventually(() => expect(seen.records.map(textOf)).toEqual(values));
    expect(seen.records.map(({ offset }) => offset)).toEqual(
      values.map((_, index) => BigInt(index)),
    );
    expect(seen.records[0]?.headers).toEqual({ ce_id: 'é' });
  });

  it('shows what a transaction committed, and nothing of one that was aborted', async () => {
    const topic = await newTopic({ type });
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
    const seen = consumed(topic);
    await eventually(() => expect(seen.records.map(textOf)).toEqual(['1', '2', '5', '6']));
  });
});

describe('a batch that cannot be decoded', () => {
  it('comes as one record that says so, and stops neither its partition nor another', async () => {
    const topic = await newTopic({ partitions: 2 });
    const producer = await foreignProducer();
    const send = (partition: number, values: readonly string[]) =>
      producer.send({
        topic,
        compression: CompressionTypes.GZIP,
        messages: values.map((value) => ({ partition, value })),
      });
    await send(0, ['1']);
    await send(0, ['2', BOMB]);
    await send(0, ['4']);
    await send(1, ['a']);

    const seen = consumed(topic);
    await eventually(() => expect(of(seen.records, 0)).toEqual(['1', 'undecodable', '4']));
    await eventually(() => expect(of(seen.records, 1)).toEqual(['a']));
    const bad = seen.records.find(({ undecodable }) => undecodable !== undefined);
    expect(bad).toMatchObject({
      partition: 0,
      offset: 2n,
      undecodable:
        'The batch of 2 records with gzip, offsets 1 to 2, cannot be decoded: it holds more than 16777216 bytes.',
    });
    expect(seen.joins).toBe(1);
  });

  it('is passed over in a transaction that was aborted', async () => {
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
    const seen = consumed(topic);
    await eventually(() => expect(of(seen.records, 0)).toEqual(['next']));
  });
});

const textOf = ({ value }: InboundRecord): string => String(value);

const of = (records: readonly InboundRecord[], partition: number): readonly string[] =>
  records
    .filter((record) => record.partition === partition)
    .map((record) => (record.undecodable === undefined ? textOf(record) : 'undecodable'));

async function newTopic({ type = 'producer', partitions = 1 } = {}): Promise<string> {
  const topic = `${prefix}${randomUUID()}`;
  const configEntries = [{ name: 'compression.type', value: type }];
  const topics = [{ topic, numPartitions: partitions, configEntries }];
  // kafkajs gives up where a busy broker does not know the new topic yet.
  await admin.createTopics({ topics, waitForLeaders: false });
  await eventually(async () => admin.fetchTopicMetadata({ topics: [topic] }));
  return topic;
}

async function foreignProducer(options: { transactionalId?: string; idempotent?: boolean } = {}) {
  const producer = foreign.producer({
    createPartitioner: Partitioners.DefaultPartitioner,
    ...options,
  });
  await producer.connect();
  open.push({ stop: async () => producer.disconnect() });
  return producer;
}

function consumed(topic: string) {
  const seen = { records: [] as InboundRecord[], joins: 0 };
  const subscription = kafka.runConsumer({
    group: `${prefix}${randomUUID()}`,
    topics: [topic],
    concurrency: 2,
    onAssigned(partitions, control) {
      seen.joins += 1;
      for (const at of partitions) control.resume(at);
    },
    onSkipped: () => undefined,
    async onBatch(batch) {
      seen.records.push(...batch.records);
      for (const { offset } of batch.records) batch.resolve(offset);
    },
  });
  open.push(subscription);
  return seen;
}
