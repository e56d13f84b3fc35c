import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { AppError } from '@junction/errors';
import { useDatabase } from '@junction/testing';
import { text } from '../../test/consumer-stage.js';
import { messagingDatabase } from '../../test/messaging-database.js';
import { silentLog } from '../../test/silent-log.js';
import type { InboundRecord } from '../kafka/kafka-port.js';
import type { Handle } from './handle.js';
import { OffsetMovedError } from './offsets.js';
import { processBatches } from './process-batch.js';
import { RecordError } from './record-error.js';

const TOPIC = 'counters';
const database = useDatabase(messagingDatabase);
beforeAll(async () => {
  await database().pool.query(
    'create table effects (consumer text, value text, tx xid8 default pg_current_xact_id())',
  );
});

describe('batches of several partitions', () => {
  it('take effect in one transaction', async () => {
    const { process, effects, offsets } = await stage();
    const results = await process(['a', 'b'], ['c'], ['d']);
    expect(results).toMatchObject([{ value: { count: 2 } }, ok(1), ok(1)]);
    const rows = await effects();
    expect(rows.map(({ value }) => value)).toEqual(['a', 'b', 'c', 'd']);
    expect(new Set(rows.map(({ tx }) => tx)).size).toBe(1);
    expect(await offsets()).toEqual(['2', '1', '1']);
  });

  it('of which one holds a bad record lose that record alone, and are told whose it was', async () => {
    const { process, effects, offsets } = await stage();
    const results = await process(['a'], ['bad', 'c'], ['d']);
    expect(results).toMatchObject([
      { value: { deadLetters: [] } },
      { value: { count: 2, deadLetters: [{ partition: 1, offset: 0n }] } },
      { value: { deadLetters: [] } },
    ]);
    expect((await effects()).map(({ value }) => value)).toEqual(['a', 'c', 'd']);
    expect(await offsets()).toEqual(['1', '2', '1']);
  });

  it('of which the handler sets records aside lose those alone, and are handled once', async () => {
    const { process, effects, handled, deadLetters } = await stage();
    const results = await process(['a', 'invalid 1'], ['invalid 2', 'c']);
    expect(results).toMatchObject([
      { value: { count: 2, deadLetters: [{ partition: 0, offset: 1n }] } },
      { value: { count: 2, deadLetters: [{ partition: 1, offset: 0n }] } },
    ]);
    expect(handled).toEqual([['a', 'invalid 1', 'invalid 2', 'c']]);
    expect((await effects()).map(({ value }) => value)).toEqual(['a', 'c']);
    expect(await deadLetters()).toEqual({
      reasons: ['It is invalid 1.', 'It is invalid 2.'],
      statements: 1,
      notices: 2,
    });
  });

  it('of which another member has taken one leave that one alone', async () => {
    const { process, effects, offsets, moved } = await stage();
    await moved(1);
    const results = await process(['a'], ['b'], ['c']);
    expect(results).toMatchObject([ok(1), { reason: expect.any(OffsetMovedError) }, ok(1)]);
    expect((await effects()).map(({ value }) => value)).toEqual(['a', 'c']);
    expect(await offsets()).toEqual(['1', '7', '1']);
  });

  it('do nothing when their surroundings fail', async () => {
    const { process, effects, offsets } = await stage();
    const results = await process(['a'], ['away']);
    expect(results).toMatchObject([{ reason: { code: 'away' } }, { reason: { code: 'away' } }]);
    expect(await effects()).toEqual([]);
    expect(await offsets()).toEqual(['0', '0', '0']);
  });
});

const ok = (count: number) => ({ status: 'fulfilled', value: { count } });

async function stage() {
  const { pool } = database();
  const consumer = randomUUID();
  await pool.query(
    `insert into consumer_offsets (consumer, topic, partition, next_offset)
     select $1, $2, generate_series(0, 2), 0`,
    [consumer, TOPIC],
  );
  const handled: string[][] = [];
  const handle: Handle = async (records, tx, setAside) => {
    handled.push(records.map(text));
    for (const record of records) {
      const value = text(record);
      if (value.startsWith('invalid')) {
        setAside(record, new RecordError('invalid', `It is ${value}.`));
        continue;
      }
      await tx.query('insert into effects (consumer, value) values ($1, $2)', [consumer, value]);
      if (value === 'bad') throw new RecordError('refused', 'It is refused.');
      if (value === 'away') throw new AppError('unavailable', 'away', 'Auth is away.');
    }
  };
  const context = { pool, consumer, topic: TOPIC, dropDuplicates: false, handle, log: silentLog };
  return {
    handled,
    /** A batch for each partition, from the beginning. */
    process: async (...partitions: readonly string[][]) =>
      processBatches(
        context,
        partitions.map((values, partition) => ({
          partition,
          from: 0n,
          to: BigInt(values.length),
          records: values.map((value, index) => recordOf(partition, index, value)),
        })),
      ),
    async effects() {
      const { rows } = await pool.query<{ value: string; tx: string }>(
        'select value, tx from effects where consumer = $1 order by value',
        [consumer],
      );
      return rows;
    },
    async offsets() {
      const { rows } = await pool.query<{ next_offset: string }>(
        'select next_offset from consumer_offsets where consumer = $1 order by partition',
        [consumer],
      );
      return rows.map((row) => row.next_offset);
    },
    /** Rows that one statement has inserted have the same xmin and cmin. */
    async deadLetters() {
      const { rows } = await pool.query<object>(
        `select array_agg(reason_text order by record_offset desc) as reasons,
                count(distinct (xmin::text, cmin::text))::int as statements,
                (select count(*)::int from outbox where headers->>'ce_source' = 'junction/' || $1) as notices
           from dead_letters where consumer = $1`,
        [consumer],
      );
      return rows[0];
    },
    moved: (partition: number) =>
      pool.query(
        'update consumer_offsets set next_offset = 7 where consumer = $1 and partition = $2',
        [consumer, partition],
      ),
  };
}

const recordOf = (partition: number, index: number, value: string): InboundRecord => ({
  topic: TOPIC,
  partition,
  offset: BigInt(index),
  key: value,
  headers: {},
  value: Buffer.from(value),
  timestamp: new Date(),
});
