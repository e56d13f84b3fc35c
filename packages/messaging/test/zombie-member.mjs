// A member of a consumer group as a process of its own, to be paused. Says on IPC where it is, and
// dawdles there so that the pause arrives in time.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { kafkaClient, startConsumer } from '../dist/index.js';

const DAWDLE_MS = 500;
const { url, brokers, topicPrefix, group, topic, pauseAt } = JSON.parse(process.argv[2]);
const silent = { debug() {}, info() {}, warn() {}, error() {} };

const pool = new pg.Pool({
  connectionString: url,
  max: 4,
  idle_in_transaction_session_timeout: 2_000,
  pipeline: true,
});
pool.on('error', () => {});
let isReady = false;
const connect = pool.connect.bind(pool);
// Transactions ask with a promise, single queries of the pool with a callback.
pool.connect = async (callback) => {
  if (callback) return connect(callback);
  if (isReady && pauseAt === 'before') await here();
  return connect();
};

async function here() {
  process.send('here');
  await sleep(DAWDLE_MS);
}

const consumer = await startConsumer({
  pool,
  kafka: kafkaClient({ brokers, clientId: 'zombie', log: silent }),
  topicPrefix,
  group,
  topics: [topic],
  dropDuplicates: false,
  log: silent,
  handle: async (records, tx) => {
    for (const { value } of records) {
      await tx.query('insert into effects (topic, value) values ($1, $2)', [
        topic,
        `${value?.toString()} zombie`,
      ]);
    }
    if (pauseAt === 'within') await here();
  },
});
while (!consumer.caughtUp()) await sleep(20);
isReady = true;
process.send('ready');
process.on('message', () => {
  void consumer.stop().then(() => process.exit(0));
});
