import { randomBytes, randomUUID } from 'node:crypto';
import { kafkaClient, type PartitionState, startConsumer } from '@junction/messaging';
import type { TestBroker } from '@junction/testing';
import type { Pool } from 'pg';

const RECORD_BYTES = 1_500;
const log = { debug() {}, info() {}, warn() {}, error() {} };

/** A consumer that stores each record it gets, in the database of a service. */
export interface Backlog {
  publish(records: number): Promise<void>;
  /** How many took effect, repeated ones counted twice, and how many became dead letters. */
  counts(): Promise<{ effects: number; deadLetters: number }>;
  states(): readonly PartitionState[];
  stop(): Promise<void>;
}

export async function consumeInto(pool: Pool, { brokers, prefix }: TestBroker): Promise<Backlog> {
  await pool.query('create table backlog_effects (value bytea)');
  const kafka = kafkaClient({ brokers, clientId: 'backlog', log });
  const name = randomUUID();
  await kafka.admin().ensureTopics([{ name, partitions: 1, retentionMs: -1 }], prefix);
  const producer = await kafka.producer();
  const consumer = await startConsumer({
    pool,
    kafka,
    topicPrefix: prefix,
    topics: [name],
    group: name,
    dropDuplicates: false,
    handle: async (records, tx) => {
      for (const { value } of records)
        await tx.query('insert into backlog_effects values ($1)', [value]);
    },
    log,
  });

  return {
    publish: async (records) =>
      producer.sendBatch(
        Array.from({ length: records }, () => ({
          topic: prefix + name,
          key: randomUUID(),
          headers: {},
          value: randomBytes(RECORD_BYTES),
        })),
      ),
    async counts() {
      const { rows } = await pool.query<{ effects: number; deadLetters: number }>(
        `select (select count(*)::int from backlog_effects) as effects,
                (select count(*)::int from dead_letters) as "deadLetters"`,
      );
      return rows[0] ?? { effects: 0, deadLetters: 0 };
    },
    states: () => consumer.status().map(({ state }) => state),
    async stop() {
      await consumer.stop();
      await producer.close();
    },
  };
}
