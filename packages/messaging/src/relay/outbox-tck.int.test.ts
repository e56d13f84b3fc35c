import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect } from '@jest/globals';
import { insertOutbox, inTransaction, wakeCalls } from '@junction/eventsourcing-postgres';
import { eventually, useBroker, useDatabase } from '@junction/testing';
import { messagingDatabase } from '../../test/messaging-database.js';
import { readTopic } from '../../test/read-topic.js';
import { silentLog } from '../../test/silent-log.js';
import { deferred } from '../deferred.js';
import { kafkaClient } from '../kafka/kafka-client.js';
import type { InboundRecord, KafkaPort } from '../kafka/kafka-port.js';
import { memoryOutbox } from '../testing/memory-outbox.js';
import { type Outbox, outboxTck, type Published, type Trouble } from '../testing/outbox-tck.js';
import { type Relay, startRelay } from './relay.js';

const database = useDatabase(messagingDatabase);
const { brokers, prefix } = useBroker();
const kafka = kafkaClient({ brokers, clientId: 'outbox-tck', log: silentLog });
const SLOW = { deadlineMs: 30_000 };
const PARTITIONS = 2;
let shared: Promise<{ topic: string; records: InboundRecord[]; stop(): Promise<void> }> | undefined;

afterAll(async () => (await shared)?.stop());

describe('an outbox', () => {
  outboxTck('on Postgres and Kafka', open, memoryOutbox, 12);
});

async function open(): Promise<Outbox> {
  const { pool } = database();
  const { topic, records } = await (shared ??= openTopic());
  const run = `${randomUUID()}/`;
  const troubles: Trouble[] = [];
  const relays: Relay[] = [];
  const calls = wakeCalls({ pool, onError: () => undefined });
  const thaw = deferred<undefined>();
  await start();

  async function start(): Promise<void> {
    // Long leases: lanes move when a step takes them away, not because a machine is slow.
    const lease = { renewMs: 100, expiryMs: 60_000 };
    const common = { pool, calls, topicPrefix: prefix, owner: 'tck', log: silentLog, lease };
    const relay = await startRelay({
      ...common,
      kafka: troubled(() => troubles.shift(), onFrozen),
    });
    relays.push(relay);
  }
  async function onFrozen(): Promise<void> {
    // Its lease runs out while it is paused.
    await pool.query(`
      with gone as (delete from relay_owners)
      update relay_leases set owner = 'paused', expires_at = now() - interval '1 s'`);
    await start();
    await thaw.promise;
  }
  const end = async (): Promise<void> => {
    thaw.resolve(undefined);
    await Promise.all(relays.splice(0).map((relay) => relay.stop()));
    await calls.close();
  };
  const insert = (rows: readonly Published[], isInVain: boolean) =>
    inTransaction(pool, async (tx) => {
      const common = { topic, type: 'counted', source: 'tck' };
      await insertOutbox(
        tx,
        rows.map(({ key, value }) => ({ ...common, key: run + key, payload: Buffer.from(value) })),
      );
      if (isInVain) throw new Error('in vain');
    });

  return {
    async insert(rows) {
      await insert(rows, false);
      relays.at(-1)?.wake();
    },
    insertInVain: (rows) => expect(insert(rows, true)).rejects.toThrow('in vain'),
    meet: async (trouble) => void troubles.push(trouble),
    async restart() {
      await relays.pop()?.stop();
      await start();
    },
    async drained() {
      await eventually(async () => expect(await rowsLeft()).toBe(0), SLOW);
      await end();
      await allRead(topic, records);
      return records
        .filter(({ key }) => key?.startsWith(run))
        .map(({ key, value }) => ({
          key: key?.slice(run.length) ?? '',
          value: `${value?.toString()}`,
        }));
    },
    async close() {
      await end();
      await pool.query('truncate outbox');
    },
  };
}

async function openTopic() {
  const topic = randomUUID();
  const spec = { name: topic, partitions: PARTITIONS, retentionMs: -1, ordered: true };
  await kafka.admin().ensureTopics([spec], prefix);
  return { topic, ...readTopic(kafka, `${prefix}${topic}`) };
}

/** The real producer, with what a step has ordered done to its next batch. */
const troubled = (next: () => Trouble | undefined, onFrozen: () => Promise<void>): KafkaPort => ({
  ...kafka,
  async producer() {
    const producer = await kafka.producer();
    return {
      ...producer,
      async sendBatch(records) {
        const trouble = next();
        if (trouble !== 'refused') await producer.sendBatch(records);
        if (trouble === 'frozen') return onFrozen();
        if (trouble !== undefined) throw new Error(trouble);
      },
    };
  },
});

async function rowsLeft(): Promise<number> {
  const { rows } = await database().pool.query<{ n: number }>(
    'select count(*)::int as n from outbox',
  );
  return rows[0]?.n ?? -1;
}

async function allRead(topic: string, records: readonly InboundRecord[]): Promise<void> {
  const bounds = await kafka.admin().logBounds(`${prefix}${topic}`);
  const written = [...bounds.values()].reduce((sum, { high }) => sum + Number(high), 0);
  await eventually(() => expect(records.length).toBeGreaterThanOrEqual(written), SLOW);
}
