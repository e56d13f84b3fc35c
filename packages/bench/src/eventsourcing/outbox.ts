import { randomBytes } from 'node:crypto';
import {
  eventStoreMigrations,
  migrate,
  postgresEventStore,
  postgresNotifier,
} from '@junction/eventsourcing/postgres';
import {
  type KafkaPort,
  kafkaClient,
  messagingMigrations,
  type OutRecord,
  startRelay,
} from '@junction/messaging';
import type pg from 'pg';
import { until } from '../clock.js';
import type { Stack } from '../own-stack.js';
import { paced } from '../paced.js';
import { quantile } from '../statistics.js';
import type { BenchRun, Figures } from '../suite.js';
import { booked, ledgerCodec, newAccount, publishTo, withPool } from './ledger.js';

const CONNECTIONS_MAX = 20;
const TOPIC = 'bench.events';
const PARTITIONS = 12;
const RATE_PER_S = 1_000;
const DRAINED_WITHIN_MS = 120_000;

export interface OutboxRuns {
  readonly warmUpMs: number;
  readonly measuredMs: number;
  readonly drainRows: number;
}

/** Measures the time from a commit to the acknowledgement of its record, and how fast a full outbox empties. */
export const measureOutbox = (stack: Stack, runs: OutboxRuns, run: BenchRun): Promise<Figures> =>
  stack.createDatabase().then((databaseUrl) =>
    withPool(databaseUrl, CONNECTIONS_MAX, async (pool) => {
      await migrate(databaseUrl, [...eventStoreMigrations, ...messagingMigrations]);
      const { signal } = run;
      const log = {
        debug: () => undefined,
        info: () => undefined,
        warn: (_: object, message: string) => run.say(message),
        error: (_: object, message: string) => run.say(message),
      };
      const kafka = kafkaClient({ brokers: stack.brokers, clientId: 'bench', log });
      const topicPrefix = `${randomBytes(6).toString('hex')}.`;
      const topic = { name: TOPIC, partitions: PARTITIONS, retentionMs: -1 };
      await kafka.admin().ensureTopics([topic], topicPrefix);
      const notifier = postgresNotifier({ pool, onError: (error) => run.say(String(error)) });
      const relaying = (port: KafkaPort) =>
        startRelay({ pool, kafka: port, notifier, topicPrefix, owner: 'bench', log });
      try {
        const tookMs = await acknowledgements(pool, kafka, relaying, { ...runs, signal });
        return {
          outbox_ack_p50_ms: quantile(tookMs, 0.5),
          outbox_ack_p99_ms: quantile(tookMs, 0.99),
          relay_per_s: await drained(pool, kafka, relaying, { rows: runs.drainRows, signal }),
        };
      } finally {
        await notifier.close();
        await kafka.admin().deleteTopics([`${topicPrefix}${TOPIC}`]);
      }
    }),
  );

type Relaying = (kafka: KafkaPort) => ReturnType<typeof startRelay>;

/** Milliseconds from the answer to an append to that of Kafka, at a steady rate. */
async function acknowledgements(
  pool: pg.Pool,
  kafka: KafkaPort,
  relaying: Relaying,
  { warmUpMs, measuredMs, signal }: OutboxRuns & { readonly signal: AbortSignal },
): Promise<number[]> {
  const ackedMs = new Map<string, number>();
  const relay = await relaying(
    watched(kafka, (records) => {
      const nowMs = performance.now();
      for (const { headers } of records) ackedMs.set(headers['ce_id'] ?? '', nowMs);
    }),
  );
  const store = postgresEventStore({
    pool,
    codec: ledgerCodec,
    source: 'junction/bench',
    publish: publishTo(TOPIC),
    afterCommit: () => relay.wake(),
  });
  const committedMs = new Map<string, number>();
  const append = async (isMeasured: boolean): Promise<void> => {
    const { events } = await store.append([
      { streamId: newAccount(), expected: 'none', events: [booked()] },
    ]);
    if (isMeasured) committedMs.set(events[0]?.eventId ?? '', performance.now());
  };
  try {
    const steadily = (ms: number, isMeasured: boolean) =>
      paced(() => append(isMeasured), { perS: RATE_PER_S, seconds: ms / 1_000 }, signal);
    await steadily(warmUpMs, false);
    await steadily(measuredMs, true);
    await untilEmpty(pool, signal);
    return [...committedMs].map(([id, atMs]) => (ackedMs.get(id) ?? Number.NaN) - atMs);
  } finally {
    await relay.stop();
  }
}

/** Records a second, from the first that is sent until the outbox is empty. */
async function drained(
  pool: pg.Pool,
  kafka: KafkaPort,
  relaying: Relaying,
  { rows, signal }: { readonly rows: number; readonly signal: AbortSignal },
): Promise<number> {
  await pool.query(FILL, [TOPIC, rows]);
  await pool.query('vacuum analyze outbox');
  let beganMs = Number.NaN;
  const begin = () => {
    if (Number.isNaN(beganMs)) beganMs = performance.now();
  };
  const relay = await relaying(watched(kafka, () => undefined, begin));
  try {
    await untilEmpty(pool, signal);
    return (rows / (performance.now() - beganMs)) * 1_000;
  } finally {
    await relay.stop();
  }
}

/** Rows like those of an append: a thousand keys, ten headers, some 120 bytes. */
const FILL = `
insert into outbox (aggregatetype, aggregateid, type, headers, payload)
select $1, key, 'booked',
       jsonb_build_object(
         'content-type', 'application/json', 'ce_specversion', '1.0', 'ce_id', gen_random_uuid(),
         'ce_source', 'junction/bench', 'ce_type', 'booked', 'ce_subject', gen_random_uuid(),
         'ce_time', '2026-01-01T00:00:00.000Z', 'ce_sequence', (n / 1000 + 1)::text),
       convert_to(jsonb_build_object(
         'account', gen_random_uuid(), 'amount', 4711, 'text', 'For the printing of the minutes')::text,
         'utf8')
  from generate_series(0, $2::integer - 1) n
 cross join lateral (select 'account-' || md5((n % 1000)::text) as key) k`;

const untilEmpty = (pool: pg.Pool, signal: AbortSignal): Promise<true> =>
  until(
    'Emptying the outbox',
    async () => (await pool.query('select from outbox limit 1')).rowCount === 0 || undefined,
    { deadlineMs: DRAINED_WITHIN_MS, signal },
  );

/** Wraps Kafka so that each batch is reported when it is sent, and when all replicas have it. */
const watched = (
  kafka: KafkaPort,
  onAcked: (records: readonly OutRecord[]) => void,
  onSend: () => void = () => undefined,
): KafkaPort => ({
  ...kafka,
  async producer() {
    const producer = await kafka.producer();
    return {
      close: () => producer.close(),
      async sendBatch(records) {
        onSend();
        await producer.sendBatch(records);
        onAcked(records);
      },
    };
  },
});
