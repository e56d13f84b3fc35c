import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@jest/globals';
import { insertOutbox, inTransaction, postgresNotifier } from '@junction/eventsourcing-postgres';
import { eventually, freePort, startPostgres } from '@junction/testing';
import { Pool } from 'pg';
import { type Consumer, startConsumer } from '../src/consumer/consumer.js';
import type { Handle } from '../src/consumer/handle.js';
import type { KafkaPort } from '../src/kafka/kafka-port.js';
import { startRelay } from '../src/relay/relay.js';
import { text } from './consumer-stage.js';
import { messagingDatabase } from './messaging-database.js';
import { silentLog } from './silent-log.js';

const SLOW = { deadlineMs: 60_000 };
const KEYS = 5;

/**
 * A Postgres of its own goes away for so long while records keep coming, both straight from Kafka and
 * through its outbox. Afterwards each has had one effect, and none has become a dead letter.
 */
export async function surviveOutage(kafka: KafkaPort, topicPrefix: string, awayMs: number) {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'junction-outage-'));
  const port = await freePort();
  let server = await startPostgres({ dataDir, port });
  const pool = new Pool({
    connectionString: server.adminUrl,
    max: 8,
    connectionTimeoutMillis: 5_000,
    pipeline: true,
  });
  pool.on('error', () => undefined);
  // As every pool of ours has it: one that is ended in the moment it is handed out has no other listener.
  pool.on('connect', (client) => client.on('error', () => undefined));
  const closing: (() => Promise<unknown>)[] = [];
  try {
    await migrateAll(server.adminUrl, pool);
    const common = { pool, kafka, topicPrefix, log: silentLog };
    const topics = await newTopics(kafka, topicPrefix);
    const notifier = postgresNotifier({ pool, onError: () => undefined });
    closing.push(() => notifier.close());
    const relay = await startRelay({ ...common, notifier, owner: 'outage' });
    closing.push(() => relay.stop());
    const start = async (topic: string, dropDuplicates: boolean): Promise<Consumer> => {
      const consumer = await startConsumer({
        ...common,
        topics: [topic],
        dropDuplicates,
        group: `${topic}.group`,
        handle: store,
        batchMax: 20,
      });
      closing.push(() => consumer.stop());
      return consumer;
    };
    const consumers = [await start(topics.foreign, false), await start(topics.domain, true)];
    await eventually(() => expect(consumers.every((each) => each.caughtUp())).toBe(true), SLOW);

    const load = startLoad(pool, kafka, topicPrefix, topics);
    closing.push(() => load.stop());
    await eventually(async () => expect(await effectsOf(pool)).not.toHaveLength(0), SLOW);
    await server.stop();
    await sleep(awayMs);
    // The other one hears nothing: the relay has no outbox to read.
    const healthyMeanwhile = consumers[0]?.healthy();
    server = await startPostgres({ dataDir, port });

    await eventually(() => expect(consumers.every((each) => each.healthy())).toBe(true), SLOW);
    const sent = await load.stop();
    await eventually(async () => expect(await effectsOf(pool)).toHaveLength(sent), SLOW);
    const effects = await effectsOf(pool);
    const { rows } = await pool.query('select reason_code, reason_text from dead_letters');
    return {
      sent,
      healthyMeanwhile,
      effects: effects.length,
      different: new Set(effects).size,
      deadLetters: rows,
    };
  } finally {
    for (const close of closing.toReversed()) await close();
    await pool.end();
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function migrateAll(url: string, pool: Pool): Promise<void> {
  await messagingDatabase.migrate(url);
  await pool.query('create table effects (value text, n serial)');
}

interface Topics {
  readonly foreign: string;
  readonly domain: string;
}

async function newTopics(kafka: KafkaPort, prefix: string): Promise<Topics> {
  const topics = { foreign: randomUUID(), domain: randomUUID() };
  await kafka.admin().ensureTopics(
    Object.values(topics).map((name) => ({ name, partitions: 3, retentionMs: -1 })),
    prefix,
  );
  return topics;
}

const store: Handle = async (records, tx) => {
  for (const record of records) {
    await tx.query('insert into effects (value) values ($1)', [text(record)]);
  }
};

/** Until stopped. Gives how many records were sent, and how many commits of the outbox were told. */
function startLoad(pool: Pool, kafka: KafkaPort, prefix: string, topics: Topics) {
  const stopping = new AbortController();
  let sent = 0;
  const foreign = async (): Promise<void> => {
    const producer = await kafka.producer();
    for (let n = 0; !stopping.signal.aborted; n++) {
      const value = Buffer.from(`foreign ${n}`);
      const headers = { ce_id: `${n}` };
      await producer.sendBatch([
        { topic: `${prefix}${topics.foreign}`, key: `${n}`, headers, value },
      ]);
      sent += 1;
      await sleep(5);
    }
    await producer.close();
  };
  const domain = async (): Promise<void> => {
    for (let n = 0; !stopping.signal.aborted; n++) {
      // Written again until it is known to be there; like a command, it is repeatable by its id.
      while (!(await written(pool, topics.domain, n))) await sleep(50);
      sent += 1;
      await sleep(5);
    }
  };
  const done = Promise.all([foreign(), domain()]);
  return {
    async stop(): Promise<number> {
      stopping.abort();
      await done;
      return sent;
    },
  };
}

const written = async (pool: Pool, topic: string, n: number): Promise<boolean> =>
  inTransaction(pool, async (tx) => {
    // The id is what a consumer drops a second one by, should the first have been committed unheard.
    const record = { topic, key: `key-${n % KEYS}`, type: 'counted', source: 'outage', id: `${n}` };
    await insertOutbox(tx, [{ ...record, payload: Buffer.from(`domain ${n}`) }]);
  }).then(
    () => true,
    () => false,
  );

async function effectsOf(pool: Pool): Promise<readonly string[]> {
  const { rows } = await pool.query<{ value: string }>('select value from effects');
  return rows.map(({ value }) => value);
}
