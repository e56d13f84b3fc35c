import { randomUUID } from 'node:crypto';
import { afterAll, expect, it } from '@jest/globals';
import { deferred } from '@junction/async';
import { insertOutbox, inTransaction, postgresNotifier } from '@junction/eventsourcing/postgres';
import { type InboundRecord, type KafkaPort, kafkaClient, silentLog } from '@junction/kafka';
import { eventually, useBroker, useDatabase } from '@junction/testing';
import fc from 'fast-check';
import type pg from 'pg';
import { messagingDatabase } from '../../test/messaging-database.js';
import { readTopic } from '../../test/read-topic.js';
import { type Relay, startRelay } from './relay.js';

const database = useDatabase(messagingDatabase);
const { brokers, prefix } = useBroker();
const kafka = kafkaClient({ brokers, clientId: 'outbox-property', log: silentLog });
const SLOW = { deadlineMs: 30_000 };
const PARTITIONS = 2;
const RUNS = 12;
let shared: Promise<{ topic: string; records: InboundRecord[]; stop(): Promise<void> }> | undefined;

afterAll(async () => (await shared)?.stop());

it('every committed record is published, those of a key in order, and no other one', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      expect(await publishedBy(steps)).toEqual(committedBy(steps));
    }),
    { numRuns: RUNS },
  );
});

/**
 * Fate of the next batch. `refused`: Kafka has nothing of it. `unheard`: Kafka has all of it, and the answer is lost.
 * `frozen`: Kafka has all of it, and the process is paused until another has taken over.
 */
type Trouble = 'refused' | 'unheard' | 'frozen';

interface Published {
  readonly key: string;
  readonly value: string;
}

type Step =
  | { readonly do: 'insert' | 'insertInVain'; readonly keys: readonly string[] }
  | { readonly do: 'meet'; readonly trouble: Trouble }
  | { readonly do: 'restart' };

const keys = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 8 });

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('insert' as const), keys }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('insertInVain' as const), keys }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('meet' as const),
      trouble: fc.constantFrom<Trouble[]>('refused', 'unheard', 'frozen'),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'restart' } as const) },
);

/** Returns what a consumer keeps of the records that the outbox publishes during these steps. */
async function publishedBy(steps: readonly Step[]) {
  const outbox = await openOutbox();
  try {
    const counted = counter();
    for (const step of steps) {
      if (step.do === 'insert') await outbox.insert(step.keys.map(counted));
      if (step.do === 'insertInVain') {
        await outbox.insertInVain(step.keys.map((key) => ({ key, value: 'in vain' })));
      }
      if (step.do === 'meet') outbox.meet(step.trouble);
      if (step.do === 'restart') await outbox.restart();
    }
    return firstsOf(await outbox.drained());
  } finally {
    await outbox.close();
  }
}

/** Returns the committed records, in order. */
function committedBy(steps: readonly Step[]) {
  const counted = counter();
  return firstsOf(steps.flatMap((step) => (step.do === 'insert' ? step.keys.map(counted) : [])));
}

/** Returns a function that makes the next record of a key: 1, 2, 3 … */
function counter(): (key: string) => Published {
  const last = new Map<string, number>();
  return (key) => {
    const n = (last.get(key) ?? 0) + 1;
    last.set(key, n);
    return { key, value: `${n}` };
  };
}

/**
 * Returns the values of each key in the order in which they first came: a consumer that drops repetitions keeps these.
 */
function firstsOf(published: readonly Published[]): Readonly<Record<string, readonly string[]>> {
  const firsts: Record<string, string[]> = {};
  for (const { key, value } of published) {
    const values = (firsts[key] ??= []);
    if (!values.includes(value)) values.push(value);
  }
  return firsts;
}

async function openOutbox() {
  const { pool } = database();
  const { topic, records } = await (shared ??= openTopic());
  const run = `${randomUUID()}/`;
  const troubles: Trouble[] = [];
  const relays: Relay[] = [];
  const notifier = postgresNotifier({ pool, onError: () => undefined });
  const thaw = deferred<undefined>();
  const takeOvers: Promise<void>[] = [];
  await start();

  async function start(): Promise<void> {
    // Long leases: lanes move when a step takes them away, not because a machine is slow.
    const lease = { renewMs: 100, expiryMs: 60_000 };
    const paused = pausable(pool);
    const relay = await startRelay({
      pool: paused.pool,
      kafka: troubled(
        () => troubles.shift(),
        () => freeze(paused),
      ),
      notifier,
      topicPrefix: prefix,
      owner: 'property',
      log: silentLog,
      lease,
    });
    relays.push(relay);
  }
  async function freeze(paused: Pausable): Promise<void> {
    const takeOver = paused.pause(thaw.promise).then(takeLanesAway).then(start);
    takeOvers.push(takeOver);
    await takeOver;
    await thaw.promise;
  }
  const takeLanesAway = () =>
    pool.query(`
      with gone as (delete from relay_owners)
      update relay_leases set owner = 'paused', expires_at = now() - interval '1 s'`);
  const end = async (): Promise<void> => {
    thaw.resolve(undefined);
    await Promise.all(takeOvers);
    await Promise.all(relays.splice(0).map((relay) => relay.stop()));
    await notifier.close();
  };
  const insert = (rows: readonly Published[], isInVain: boolean) =>
    inTransaction(pool, async (tx) => {
      const common = { topic, type: 'counted', source: 'property' };
      await insertOutbox(
        tx,
        rows.map(({ key, value }) => ({ ...common, key: run + key, payload: Buffer.from(value) })),
      );
      if (isInVain) throw new Error('in vain');
    });

  return {
    async insert(rows: readonly Published[]) {
      await insert(rows, false);
      relays.at(-1)?.wake();
    },
    insertInVain: (rows: readonly Published[]) =>
      expect(insert(rows, true)).rejects.toThrow('in vain'),
    meet: (trouble: Trouble) => void troubles.push(trouble),
    async restart() {
      await relays.pop()?.stop();
      await start();
    },
    async drained(): Promise<readonly Published[]> {
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

interface Pausable {
  readonly pool: pg.Pool;
  /** Sends no query until the promise resolves. Resolves when the queries already sent are answered. */
  pause(until: Promise<unknown>): Promise<void>;
}

/** Returns the database as a process sees it that can be paused: it then renews no lease, and deletes no row. */
function pausable(pool: pg.Pool): Pausable {
  let resumed: Promise<unknown> = Promise.resolve();
  const sent = new Set<Promise<unknown>>();
  const ask = pool.query.bind(pool) as (...args: readonly unknown[]) => Promise<unknown>;
  const query = async (...args: readonly unknown[]): Promise<unknown> => {
    await resumed;
    const answer = ask(...args);
    sent.add(answer);
    return answer.finally(() => sent.delete(answer));
  };
  return {
    pool: Object.assign(Object.create(pool) as pg.Pool, { query }),
    async pause(until) {
      resumed = until;
      await Promise.allSettled(sent);
    },
  };
}

async function openTopic() {
  const topic = randomUUID();
  const spec = { name: topic, partitions: PARTITIONS, retentionMs: -1 };
  await kafka.admin().ensureTopics([spec], prefix);
  return { topic, ...readTopic(kafka, `${prefix}${topic}`) };
}

/** Returns the real producer, whose next batch meets the trouble that a step has ordered. */
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
