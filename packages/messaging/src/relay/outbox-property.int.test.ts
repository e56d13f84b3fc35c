import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { deferred } from '@junction/async';
import { insertOutbox, inTransaction } from '@junction/eventsourcing/postgres';
import type { InboundRecord } from '@junction/kafka';
import { eventually } from '@junction/testing';
import fc from 'fast-check';
import type pg from 'pg';
import { useRelays } from '../../test/relay-stage.js';

const { database, prefix, kafka, newTopic, read, rowsLeft, sendingBy, start } = useRelays();
const SLOW = { deadlineMs: 30_000 };
const PARTITIONS = 2;
const RUNS = 12;

it('every committed record is published, those of a key in order, and no other one', async () => {
  const topic = await newTopic(PARTITIONS);
  const { records } = read(topic);
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      expect(await publishedBy(steps, topic, records)).toEqual(committedBy(steps));
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
async function publishedBy(
  steps: readonly Step[],
  topic: string,
  records: readonly InboundRecord[],
) {
  const outbox = await openOutbox(topic, records);
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

async function openOutbox(topic: string, records: readonly InboundRecord[]) {
  const { pool } = database();
  const run = `${randomUUID()}/`;
  const troubles: Trouble[] = [];
  const relays: Awaited<ReturnType<typeof start>>[] = [];
  const thaw = deferred<undefined>();
  const takeOvers: Promise<void>[] = [];
  await startNext();

  async function startNext(): Promise<void> {
    // Long leases: lanes move when a step takes them away, not because a machine is slow.
    const lease = { renewMs: 100, expiryMs: 60_000 };
    const paused = pausable(pool);
    const troubled = sendingBy(async (_records, pass) => {
      const trouble = troubles.shift();
      if (trouble !== 'refused') await pass();
      if (trouble === 'frozen') return freeze(paused);
      if (trouble !== undefined) throw new Error(trouble);
    });
    relays.push(await start({ pool: paused.pool, kafka: troubled, lease }));
  }
  async function freeze(paused: Pausable): Promise<void> {
    const takeOver = paused.pause(thaw.promise).then(takeLanesAway).then(startNext);
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
      await startNext();
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

async function allRead(topic: string, records: readonly InboundRecord[]): Promise<void> {
  const bounds = await kafka.admin().logBounds(`${prefix}${topic}`);
  const written = [...bounds.values()].reduce((sum, { high }) => sum + Number(high), 0);
  await eventually(() => expect(records.length).toBeGreaterThanOrEqual(written), SLOW);
}
