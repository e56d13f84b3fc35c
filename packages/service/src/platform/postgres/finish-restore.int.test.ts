import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, it } from '@jest/globals';
import {
  BEGINNING,
  EVENTS_APPENDED,
  eventStoreMigrations,
  follow,
  inTransaction,
  migrate,
  postgresEventStore,
  postgresNotifier,
  RestoreUnfinishedError,
  readAll,
  refuseUnfinishedRestore,
} from '@junction/eventsourcing/postgres';
import { type Counted, counted, countedCodec } from '@junction/eventsourcing/testing';
import { startPostgres } from '@junction/local-stack';
import {
  type InboundRecord,
  kafkaClient,
  messagingMigrations,
  startRelay,
} from '@junction/messaging';
import { eventually, useBroker, useDatabase } from '@junction/testing';
import { Pool } from 'pg';
import { copyDatabase } from '../../../test/copy-database.js';
import { closeLater, closeOpened, readableLog } from '../../../test/loopback.js';
import { finishRestoreOf } from './finish-restore.js';

const SLOW = { deadlineMs: 30_000 };
const TOPIC = 'tallies';
const STREAMS = ['tally-a', 'tally-b', 'tally-c'];

const migrations = [...eventStoreMigrations, ...messagingMigrations];
const database = useDatabase({ template: 'messaging', migrate: (url) => migrate(url, migrations) });
const { brokers, prefix } = useBroker();
const { log, text } = readableLog('info');
const kafka = kafkaClient({ brokers, clientId: 'restore-test', log });

afterEach(closeOpened);

it('a dump restored into a new cluster goes on after finish-restore: nothing lost, nothing twice', async () => {
  await kafka.admin().ensureTopics([{ name: TOPIC, partitions: 3, retentionMs: -1 }], prefix);
  const old = database();
  const records = readTopic();
  // An old cluster has counted further than a new one has.
  await old.pool.query(
    'do $$ begin for n in 1 .. 20000 loop perform pg_current_xact_id(); commit; end loop; end $$',
  );
  // The dump holds what is not published yet.
  await appendOverlapping(old.pool);
  const before = await everything(old.pool, 12);

  const { pool, url } = await newCluster();
  await copyDatabase(old.pool, pool);
  await expect(refuseUnfinishedRestore(pool)).rejects.toThrow(RestoreUnfinishedError);
  await finishRestoreOf({ name: 'test', migrations }, url, log);
  expect(text()).toContain('rebased');
  await refuseUnfinishedRestore(pool);

  const { followed, wake } = await startWork(pool);
  await appendOverlapping(pool);
  wake();
  await eventually(() => expect(followed).toHaveLength(24), SLOW);
  expect(followed.slice(0, 12)).toEqual(before);
  expect(followed).toEqual(await everything(pool, 24));
  await eventually(() => expect(records).toHaveLength(24), SLOW);
  const inOrder = Array.from({ length: 8 }, (_, n) => String(n + 1));
  for (const stream of STREAMS) {
    const ofStream = records.filter(({ key }) => key === stream);
    expect(ofStream.map(({ headers }) => headers['ce_sequence'])).toEqual(inOrder);
  }

  await finishRestoreOf({ name: 'test', migrations }, url, log);
  expect(text()).toContain('nothing to do');
});

/** Starts a young cluster: nothing but the schema has been written. */
async function newCluster(): Promise<{ pool: Pool; url: string }> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'junction-restore-'));
  closeLater(async () => rmSync(dataDir, { recursive: true, force: true }));
  const server = await startPostgres({ dataDir, ephemeral: true });
  closeLater(() => server.stop());
  const url = server.adminUrl;
  await migrate(url, migrations);
  const pool = new Pool({ connectionString: url, max: 10 });
  pool.on('error', () => undefined);
  closeLater(() => pool.end());
  return { pool, url };
}

/** Returns every record that was ever published, as a list that grows. */
function readTopic(): readonly InboundRecord[] {
  const records: InboundRecord[] = [];
  const subscription = kafka.runConsumer({
    group: `${prefix}restore-test`,
    topics: [`${prefix}${TOPIC}`],
    concurrency: 1,
    onAssigned: (partitions, control) => partitions.forEach((at) => control.resume(at)),
    async onBatch(batch) {
      records.push(...batch.records);
      const last = batch.records.at(-1);
      if (last) batch.resolve(last.offset);
    },
    onSkipped: () => undefined,
  });
  closeLater(() => subscription.stop());
  return records;
}

/** Starts a service's work on a store: a relay, and a follower from the beginning. */
async function startWork(pool: Pool) {
  const notifier = postgresNotifier({ pool, onError: () => undefined });
  const common = { pool, notifier, owner: 'test', log };
  const relay = await startRelay({ ...common, kafka, topicPrefix: prefix });
  const calledOff = new AbortController();
  const followed: string[] = [];
  const following = follow(
    { db: pool, notifier, from: BEGINNING, signal: calledOff.signal, onError: () => undefined },
    async (events) => void followed.push(...events.map(({ eventId }) => eventId)),
  );
  closeLater(async () => {
    calledOff.abort();
    await Promise.all([following, relay.stop()]);
    await notifier.close();
  });
  return { followed, wake: () => notifier.notify(EVENTS_APPENDED) };
}

/** Appends four events to each stream, in transactions that overlap: positions and transactions disagree. */
async function appendOverlapping(pool: Pool): Promise<void> {
  const store = postgresEventStore<Counted>({
    pool,
    codec: countedCodec,
    source: 'junction/test',
    publish: ({ type, data }, { streamId }) => ({
      topic: TOPIC,
      key: streamId,
      type,
      sequenced: true,
      payload: Buffer.from(JSON.stringify(data)),
    }),
  });
  for (let round = 0; round < 4; round++) {
    await inTransaction(pool, async (early) => {
      await early.query('select pg_current_xact_id()');
      await inTransaction(pool, async (late) => {
        for (const [index, streamId] of STREAMS.entries()) {
          const tx = (index + round) % 2 === 0 ? early : late;
          const append = { streamId, expected: 'any', events: [counted(round)] } as const;
          await store.within(tx).append([append]);
        }
      });
    });
  }
}

/** Returns the ids of so many events, in the order of readers. */
const everything = (pool: Pool, count: number) =>
  eventually(async () => {
    const events = await readAll(pool, BEGINNING, 100);
    expect(events).toHaveLength(count);
    return events.map(({ eventId }) => eventId);
  });
