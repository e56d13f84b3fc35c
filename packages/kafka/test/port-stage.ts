import { randomUUID } from 'node:crypto';
import { afterEach, expect } from '@jest/globals';
import { eventually, useBroker } from '@junction/testing';
import { Kafka, logLevel, Partitioners, type ProducerConfig } from 'kafkajs';
import { kafkaClient } from '../src/kafka-client.js';
import type { ConsumeOptions, InboundRecord, OutRecord } from '../src/kafka-port.js';
import { silentLog } from '../src/log.js';

/**
 * Opens a client for the tests of one file. They show the guarantees that the rest of this package relies on, whichever
 * client is behind the port.
 */
export function usePort() {
  const { brokers, prefix } = useBroker();
  const kafka = kafkaClient({ brokers, clientId: 'port-test', log: silentLog });
  const open: { stop(): Promise<unknown> }[] = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map(async (each) => each.stop()));
  });

  const consume = (
    options: Partial<ConsumeOptions> & Pick<ConsumeOptions, 'topics' | 'onBatch'>,
  ) => {
    const subscription = kafka.runConsumer({
      group: `${prefix}${randomUUID()}`,
      concurrency: 2,
      onAssigned: (partitions, control) => {
        for (const at of partitions) control.resume(at);
      },
      onSkipped: () => undefined,
      ...options,
    });
    open.push(subscription);
    return subscription;
  };

  return {
    brokers,
    prefix,
    kafka,
    /** Closed after each test. */
    open,
    consume,
    async newTopic(partitions = 1, name = `${prefix}${randomUUID()}`): Promise<string> {
      await kafka.admin().ensureTopics([{ name, partitions, retentionMs: -1 }]);
      return name;
    },
    /** Opens a producer that is not ours: it may use transactions, and send what ours does not. */
    async foreignProducer(config: ProducerConfig = {}) {
      const producer = new Kafka({ brokers, logLevel: logLevel.NOTHING }).producer({
        createPartitioner: Partitioners.DefaultPartitioner,
        ...config,
      });
      await producer.connect();
      open.push({ stop: async () => producer.disconnect() });
      return producer;
    },
    async send(records: readonly OutRecord[]): Promise<void> {
      const producer = await kafka.producer();
      try {
        await producer.sendBatch(records);
      } finally {
        await producer.close();
      }
    },
    async consumed(topic: string, count: number): Promise<readonly InboundRecord[]> {
      const records: InboundRecord[] = [];
      const subscription = consume({
        topics: [topic],
        onBatch: async (batch) => {
          records.push(...batch.records);
          for (const { offset } of batch.records) batch.resolve(offset);
        },
      });
      await eventually(() => expect(records.length).toBeGreaterThanOrEqual(count));
      await subscription.stop();
      return records;
    },
  };
}

export const textRecord = (topic: string, value: string): OutRecord => ({
  topic,
  key: 'k',
  headers: {},
  value: Buffer.from(value),
});
