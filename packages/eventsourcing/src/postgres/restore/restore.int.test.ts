import { describe, expect, it } from '@jest/globals';
import { eventually, useDatabase } from '@junction/testing';
import type pg from 'pg';
import { counterStore, counts, eventStoreDatabase, newCounter } from '../../../test/counters.js';
import { BEGINNING, type Position, readAll } from '../store/read-all.js';
import { inTransaction } from '../transaction.js';
import { finishRestore, RestoreUnfinishedError, refuseUnfinishedRestore } from './restore.js';
import { verifyStreams } from './verify-streams.js';

const database = useDatabase(eventStoreDatabase);

describe('a restore', () => {
  it('needs nothing where transactions are counted on', async () => {
    await store().append([counts(newCounter())]);
    await refuseUnfinishedRestore(database().pool);
    expect(await finishRestore(database().pool)).toBe(false);
  });

  it('stops the start in a younger cluster until it is finished, and then keeps the order of all events', async () => {
    const { pool } = database();
    const streams = [newCounter(), newCounter(), newCounter()];
    await overlap(pool, streams);
    const before = await readEverything(pool);
    const half = before[Math.floor(before.length / 2)] ?? BEGINNING;
    await checkpoint('half', half);
    await checkpoint('none', BEGINNING);
    await countAhead(pool);

    await expect(refuseUnfinishedRestore(pool)).rejects.toThrow(RestoreUnfinishedError);
    await expect(refuseUnfinishedRestore(pool)).rejects.toThrow('finish-restore');
    expect(await readAll(pool, BEGINNING, 10_000)).toEqual([]);

    expect(await finishRestore(pool)).toBe(true);
    await refuseUnfinishedRestore(pool);
    for (const streamId of streams) await store().append([counts(streamId)]);
    const after = await readEverything(pool);
    expect(after.map(idOf).slice(0, before.length)).toEqual(before.map(idOf));
    expect(after).toHaveLength(before.length + streams.length);

    // A reader goes on where it stood.
    const rest = await readAll(pool, await checkpointOf('half'), 10_000);
    const read = before.findIndex(({ position }) => position === half.position) + 1;
    expect(rest.map(idOf)).toEqual(after.map(idOf).slice(read));
    expect(await checkpointOf('none')).toEqual(BEGINNING);
    expect(await verifyStreams(pool)).toMatchObject({ problems: [] });
    await expect(pool.query('delete from events')).rejects.toMatchObject({ code: 'JN002' });
  });
});

it('the check of all streams finds versions twice, holes, heads that differ or lack, and events in another order', async () => {
  const { pool } = database();
  const [twice, hole, head, headless] = [newCounter(), newCounter(), newCounter(), newCounter()];
  const [earlier, later] = [newCounter(), newCounter()];
  for (const streamId of [twice, hole, head, headless, earlier, later, newCounter()]) {
    await store().append([counts(streamId, 3)]);
  }
  expect((await verifyStreams(pool)).problems).toEqual([]);

  await pool.query('alter table events disable trigger all');
  await pool.query(`select setval(pg_get_serial_sequence('events', 'position'), 10000005)`);
  await storeAgain(twice, 3);
  await pool.query('delete from events where stream_id = $1 and version = 2', [hole]);
  await pool.query('update streams set version = 7 where stream_id = $1', [head]);
  await pool.query('delete from streams where stream_id = $1', [headless]);
  await pool.query(
    `update events set tx = (tx::text::bigint - 1)::text::xid8 where stream_id = $1 and version = 3`,
    [earlier],
  );
  await storeAgain(later, 1);
  await pool.query(
    'delete from events where stream_id = $1 and position < 10000000 and version = 1',
    [later],
  );

  const { problems } = await verifyStreams(pool);
  const found = Object.fromEntries(problems.map(({ streamId, problem }) => [streamId, problem]));
  expect(found).toEqual({
    [twice]: 'version_twice',
    [hole]: 'version_missing',
    [head]: 'head_differs',
    [headless]: 'head_missing',
    [earlier]: 'order_differs',
    [later]: 'order_differs',
  });
  expect(problems.find(({ streamId }) => streamId === head)?.detail).toContain('7');
});

/** Stores a copy of an event, with a position in the next partition. */
const storeAgain = (streamId: string, version: number) =>
  database().pool.query(
    `insert into events (stream_id, version, tx, event_id, type, schema_version, data, recorded_at)
     select stream_id, version, tx, gen_random_uuid(), type, 1, data, now() from events
      where stream_id = $1 and version = $2`,
    [streamId, version],
  );

const checkpoint = (name: string, { tx, position }: Position) =>
  database().pool.query(
    'insert into projection_checkpoints (name, version, tx, position) values ($1, 1, $2, $3)',
    [name, tx, position],
  );

async function checkpointOf(name: string): Promise<Position> {
  const { rows } = await database().pool.query<{ tx: string; position: string }>(
    'select tx, position from projection_checkpoints where name = $1',
    [name],
  );
  return { tx: BigInt(rows[0]?.tx ?? -1), position: BigInt(rows[0]?.position ?? -1) };
}

const store = () => counterStore(database().pool);

/** Appends in transactions that overlap, so that positions and transactions differ in their order. */
async function overlap(pool: pg.Pool, streams: readonly string[]): Promise<void> {
  for (let round = 0; round < 4; round++) {
    await inTransaction(pool, async (early) => {
      await early.query('select pg_current_xact_id()');
      await inTransaction(pool, async (late) => {
        for (const [index, streamId] of streams.entries()) {
          const tx = (index + round) % 2 === 0 ? early : late;
          await counterStore(pool)
            .within(tx)
            .append([counts(streamId)]);
        }
      });
    });
  }
}

/** Changes the events as if this cluster had seen fewer transactions than they name. */
async function countAhead(pool: pg.Pool): Promise<void> {
  await pool.query(`
    alter table events disable trigger events_are_append_only;
    update events set tx = (tx::text::bigint + 5000000000)::text::xid8;
    alter table events enable trigger events_are_append_only;
    update streams set last_tx = (last_tx::text::bigint + 5000000000)::text::xid8;
    update projection_checkpoints set tx = (tx::text::bigint + 5000000000)::text::xid8
     where tx > '0'`);
}

/** Returns all events in reading order, once nothing holds them back. */
const readEverything = async (pool: pg.Pool) =>
  eventually(async () => {
    const events = await readAll(pool, BEGINNING, 10_000);
    const { rows } = await pool.query<{ count: number }>('select count(*)::int from events');
    expect(events).toHaveLength(rows[0]?.count ?? -1);
    return events;
  });

const idOf = ({ eventId }: { readonly eventId: string }): string => eventId;
