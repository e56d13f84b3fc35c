import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from '@jest/globals';
import { AppError } from '@junction/errors';
import { useDatabase } from '@junction/testing';
import fc from 'fast-check';
import { text } from '../../test/consumer-stage.js';
import { messagingDatabase } from '../../test/messaging-database.js';
import { silentLog } from '../../test/silent-log.js';
import { redriveDeadLetter } from '../dead-letters/redrive.js';
import type { InboundRecord } from '../kafka/kafka-port.js';
import { classifyError } from './classify-error.js';
import type { Handle } from './handle.js';
import { OffsetMovedError } from './offsets.js';
import { processBatch } from './process-batch.js';
import { RecordError } from './record-error.js';

const TOPIC = 'counters';
const RUNS = 60;
const database = useDatabase(messagingDatabase);

beforeAll(async () => {
  await database().pool.query('create table effects (consumer text, value text, n serial)');
});

it('each record has one effect, whatever happens on the way', async () => {
  await fc.assert(
    fc.asyncProperty(programs, async ({ log, behaviours, sizes }) => {
      const inbox = await openInbox((n) => behaviours[n] ?? 'good');
      await inbox.deliverAll(log, sizes);
      const isGood = (value: string) => !['rejected', 'bad', 'broken'].includes(behaviourOf(value));
      const behaviourOf = (value: string) => behaviours[Number(value.split('#')[1])] ?? 'good';
      const firsts = firstOfEach(log);

      expect(await inbox.effects()).toEqual(firsts.filter(isGood).sort());
      expect(await inbox.letters()).toHaveLength(firsts.length - firsts.filter(isGood).length);
      await inbox.mendAndRedrive();
      expect(await inbox.effects()).toEqual(firsts.sort());
      expect(await inbox.letters()).toEqual([]);
    }),
    { numRuns: RUNS },
  );
});

/**
 * How the handler takes a record until it is mended. `rejected`: it sets the record aside; `bad`: it throws
 * a RecordError; `broken`: another error; `away`: the surroundings fail, once.
 */
type Behaviour = 'good' | 'rejected' | 'bad' | 'broken' | 'away';

const behaviour = fc.constantFrom<Behaviour[]>(
  ...(['good', 'good', 'good', 'rejected', 'bad', 'broken', 'away'] as const),
);

/** Keys a to c count their records, key d knows them by id. Some come again later. */
const programs = fc
  .record({
    keys: fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 20 }),
    again: fc.array(fc.nat(), { maxLength: 6 }),
    behaviours: fc.array(behaviour, { minLength: 26, maxLength: 26 }),
    sizes: fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 10 }),
  })
  .map(({ keys, again, ...rest }) => {
    const counted = new Map<string, number>();
    const once = keys.map((key) => {
      const n = (counted.get(key) ?? 0) + 1;
      counted.set(key, n);
      return { key, n };
    });
    const all = [...once, ...again.flatMap((n) => once[n % Math.max(1, once.length)] ?? [])];
    return { ...rest, log: all.map(({ key, n }, offset) => recordAt(key, n, offset)) };
  });

const recordAt = (key: string, n: number, offset: number): InboundRecord => ({
  topic: TOPIC,
  partition: 0,
  offset: BigInt(offset),
  key,
  headers: key === 'd' ? { ce_source: 's', ce_id: `${n}` } : { ce_sequence: `${n}` },
  value: Buffer.from(`${key}${n}#${offset}`),
  timestamp: new Date(0),
});

/** The values of the records that are no duplicates. */
function firstOfEach(log: readonly InboundRecord[]): string[] {
  const firsts = new Map<string, string>();
  for (const value of log.map(text)) {
    const [name = ''] = value.split('#');
    if (!firsts.has(name)) firsts.set(name, value);
  }
  return [...firsts.values()];
}

async function openInbox(behaviourAt: (offset: number) => Behaviour) {
  const { pool } = database();
  const consumer = randomUUID();
  const wasAway = new Set<string>();
  let isMended = false;
  await pool.query(
    `insert into consumer_offsets (consumer, topic, partition, next_offset) values ($1, $2, 0, 0)`,
    [consumer, TOPIC],
  );
  const handle: Handle = async (records, tx, setAside) => {
    for (const record of records) {
      const value = text(record);
      const takes = isMended ? 'good' : behaviourAt(Number(record.offset));
      if (takes === 'rejected') {
        setAside(record, new RecordError('rejected', 'It is rejected.'));
        continue;
      }
      await tx.query('insert into effects (consumer, value) values ($1, $2)', [consumer, value]);
      if (takes === 'bad') throw new RecordError('refused', 'It is refused.');
      if (takes === 'broken') throw new TypeError('a mistake of the handler');
      if (takes === 'away' && !wasAway.has(value)) {
        wasAway.add(value);
        throw new AppError('unavailable', 'away', 'Auth is away.');
      }
    }
  };
  const values = async (sql: string): Promise<string[]> =>
    (await pool.query<{ value: string }>(sql, [consumer])).rows.map(({ value }) => value);
  const letters = () =>
    values('select id as value from dead_letters where consumer = $1 and resolved_at is null');
  const context = { pool, consumer, topic: TOPIC, dropDuplicates: true, handle, log: silentLog };

  /** Gives how many were taken: none when nothing happened. */
  const deliver = (records: readonly InboundRecord[], from: bigint) =>
    processBatch(context, { partition: 0, from, to: from + BigInt(records.length), records }).then(
      ({ count }) => count,
      (error: unknown) => {
        if (error instanceof OffsetMovedError || classifyError(error) === 'infrastructure')
          return 0;
        throw error;
      },
    );

  return {
    /** Each batch that was taken comes a second time, as after a rebalance. */
    async deliverAll(log: readonly InboundRecord[], sizes: readonly number[]) {
      for (let at = 0, round = 0; at < log.length; round++) {
        const batch = log.slice(at, at + (sizes[round % sizes.length] ?? 1));
        const taken = await deliver(batch, BigInt(at));
        if (taken > 0) expect(await deliver(batch, BigInt(at))).toBe(0);
        at += taken;
        if (round > 1_000) throw new Error('The inbox makes no progress.');
      }
    },
    async mendAndRedrive() {
      isMended = true;
      const consumers = [{ group: consumer, topics: [TOPIC], handle }];
      for (const id of await letters()) {
        await redriveDeadLetter({ pool, topicPrefix: '', consumers, log: silentLog }, id, {
          by: 'operator',
        });
      }
    },
    effects: () =>
      values('select value from effects where consumer = $1 order by value collate "C"'),
    letters,
  };
}
