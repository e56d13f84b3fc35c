import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll } from '@jest/globals';
import { type InboundRecord, type KafkaPort, kafkaClient, silentLog } from '@junction/kafka';
import { useBroker, useDatabase } from '@junction/testing';
import { CompressionTypes, Kafka, logLevel, Partitioners, type ProducerConfig } from 'kafkajs';
import { Pool, type PoolClient } from 'pg';
import { startConsumer } from '../src/consumer/consumer.js';
import type { ConsumerOptions } from '../src/consumer/context.js';
import type { Prepare } from '../src/consumer/handle.js';
import { RecordError } from '../src/consumer/record-error.js';
import { messagingDatabase } from './messaging-database.js';

export const text = (record: InboundRecord | undefined): string => record?.value?.toString() ?? '';

/** Returns the numbers from `from` to `to`, as texts. */
export const numbers = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => `${from + index}`);

export const refuse = async (): Promise<never> => {
  throw new RecordError('refused', 'It is refused.');
};

const preparedAtOnce: Prepare = async (records) =>
  records.map((record) => ({ ...record, ready: Promise.resolve() }));

/** A handler that sets nothing aside. */
type Store = (records: readonly InboundRecord[], tx: PoolClient) => Promise<void>;

/** A database, a broker, and consumers that write each effect they have into a table. */
export function useConsumerStage() {
  const database = useDatabase(messagingDatabase);
  const { brokers, prefix } = useBroker();
  const kafka = kafkaClient({ brokers, clientId: 'consumer-test', log: silentLog });
  const foreign = new Kafka({ brokers, logLevel: logLevel.NOTHING });
  const open: { stop(): Promise<unknown> }[] = [];

  beforeAll(async () => {
    // A row is inserted each time a record takes effect: no constraint keeps a second one out.
    await database().pool.query('create table effects (topic text, value text, n serial)');
  });

  afterEach(async () => {
    await Promise.all(open.splice(0).map(async (each) => each.stop()));
  });

  const store: Store = async (records, tx) => {
    for (const record of records) {
      await tx.query('insert into effects (topic, value) values ($1, $2)', [
        record.topic.slice(prefix.length),
        text(record),
      ]);
    }
  };

  const refuseBad: Store = async (records, tx) => {
    if (records.some((record) => text(record) === 'bad')) await refuse();
    await store(records, tx);
  };

  /** Returns a pool whose transactions begin after this call, and fail with it. */
  function beginning(call: () => Promise<void>): Pool {
    const pool = new Pool({ connectionString: database().url, max: 6, pipeline: true });
    open.push({ stop: async () => pool.end() });
    return new Proxy(pool, {
      get(of, key) {
        const value: unknown = Reflect.get(of, key);
        if (typeof value !== 'function') return value;
        if (key === 'connect') return async () => call().then(async () => of.connect());
        return value.bind(of);
      },
    });
  }

  async function start(options: Partial<ConsumerOptions> & Pick<ConsumerOptions, 'topics'>) {
    const pool = new Pool({ connectionString: database().url, max: 6, pipeline: true });
    pool.on('error', () => undefined);
    const consumer = await startConsumer({
      pool,
      kafka,
      topicPrefix: prefix,
      group: randomUUID(),
      dropDuplicates: false,
      handle: store,
      log: silentLog,
      ...options,
    });
    let ending: Promise<void> | undefined;
    const stop = () => (ending ??= consumer.stop().then(async () => pool.end()));
    open.push({ stop });
    return { ...consumer, stop };
  }

  /** Wraps a Kafka so that the test can have all its partitions assigned anew. */
  function reassigning() {
    let assignAnew = (): void => undefined;
    const reassigned: KafkaPort = {
      ...kafka,
      runConsumer: (options) =>
        kafka.runConsumer({
          ...options,
          onAssigned(partitions, control) {
            assignAnew = () => {
              for (const at of partitions) control.pause(at);
              options.onAssigned(partitions, control);
            };
            return options.onAssigned(partitions, control);
          },
        }),
    };
    return { kafka: reassigned, assignAnew: () => assignAnew() };
  }

  /** Wraps a Kafka so that the test hears of each end of an assignment before partitions may go to another member. */
  const releasing = (onRelease: () => void): KafkaPort => ({
    ...kafka,
    runConsumer: (options) =>
      kafka.runConsumer({
        ...options,
        onAssigned(...assigned) {
          const end = options.onAssigned(...assigned);
          return async () => {
            onRelease();
            await end?.();
          };
        },
      }),
  });

  /** Deletes the topic, makes it again, and returns its id before and after. */
  async function makeAnew(topic: string): Promise<readonly (string | undefined)[]> {
    const admin = kafka.admin();
    const name = `${prefix}${topic}`;
    const idOf = async () => (await admin.logBounds(name)).get(0)?.topicId;
    const before = await idOf();
    await admin.deleteTopics([name]);
    await admin.ensureTopics([{ name: topic, partitions: 1, retentionMs: -1 }], prefix);
    return [before, await idOf()];
  }

  async function newTopic(partitions = 1): Promise<string> {
    const name = randomUUID();
    const spec = { name, partitions, retentionMs: -1 };
    await kafka.admin().ensureTopics([spec], prefix);
    return name;
  }

  async function send(
    topic: string,
    values: readonly string[],
    keyOf: (value: string) => string = (value) => value,
    headers: Record<string, string> = {},
  ): Promise<void> {
    const producer = await kafka.producer();
    await producer.sendBatch(
      values.map((value) => ({
        topic: `${prefix}${topic}`,
        key: keyOf(value),
        headers,
        value: Buffer.from(value),
      })),
    );
    await producer.close();
  }

  /** Opens a producer that is not ours: it may choose partitions, and use transactions. */
  async function foreignProducer(config: ProducerConfig = {}) {
    const producer = foreign.producer({
      createPartitioner: Partitioners.DefaultPartitioner,
      ...config,
    });
    await producer.connect();
    open.push({ stop: async () => producer.disconnect() });
    return producer;
  }

  /** Sends each list as a batch of its own, compressed. */
  async function sendCompressed(
    topic: string,
    partition: number,
    ...batches: readonly (readonly string[])[]
  ): Promise<void> {
    const producer = await foreignProducer();
    for (const values of batches) {
      await producer.send({
        topic: `${prefix}${topic}`,
        compression: CompressionTypes.GZIP,
        messages: values.map((value) => ({ partition, value })),
      });
    }
  }

  async function foreignAdmin() {
    const admin = foreign.admin();
    await admin.connect();
    open.push({ stop: async () => admin.disconnect() });
    return admin;
  }

  async function effects(topic: string): Promise<readonly string[]> {
    const { rows } = await database().pool.query<{ value: string }>(
      'select value from effects where topic = $1 order by n',
      [topic],
    );
    return rows.map(({ value }) => value);
  }

  /** Returns the reasons of the dead letters of a topic. */
  async function deadLetters(topic: string): Promise<readonly string[]> {
    const { rows } = await database().pool.query<{ reason_code: string }>(
      'select reason_code from dead_letters where topic = $1',
      [topic],
    );
    return rows.map(({ reason_code }) => reason_code);
  }

  async function storedOffset(group: string): Promise<string | undefined> {
    const { rows } = await database().pool.query<{ next_offset: string }>(
      'select next_offset from consumer_offsets where consumer = $1',
      [group],
    );
    return rows[0]?.next_offset;
  }

  const storeOffset = (group: string, topic: string, offset: number) =>
    database().pool.query(
      'insert into consumer_offsets (consumer, topic, partition, next_offset) values ($1, $2, 0, $3)',
      [group, topic, offset],
    );

  /** Deletes the records before an offset of the first partition. */
  async function deleteRecords(name: string, offset: string): Promise<void> {
    const admin = await foreignAdmin();
    const topic = `${prefix}${name}`;
    await admin.fetchTopicOffsets(topic); // without it the next call finds no broker
    await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset }] });
  }

  return {
    database,
    kafka,
    prefix,
    open,
    store,
    refuseBad,
    start,
    reassigning,
    releasing,
    beginning,
    makeAnew,
    preparedAtOnce,
    newTopic,
    send,
    foreignProducer,
    sendCompressed,
    foreignAdmin,
    effects,
    deadLetters,
    storedOffset,
    storeOffset,
    deleteRecords,
  };
}
