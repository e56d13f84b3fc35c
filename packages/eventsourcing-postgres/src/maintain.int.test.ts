import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { type Counted, countedCodec } from '@junction/eventsourcing/testing';
import { eventually, useDatabase } from '@junction/testing';
import { counterStore, counts, newCounter } from '../test/counters.js';
import {
  fillPartition,
  freshPartition,
  isWaitedFor,
  moveOnTo,
  PARTITION_SIZE,
} from '../test/partitions.js';
import { archivePartition, attachPartition } from './archive.js';
import { postgresEventStore } from './event-store.js';
import { maintainEventStore } from './maintain.js';
import { migrate } from './migrate.js';
import { eventStoreMigrations } from './migrations/index.js';
import { inTransaction } from './transaction.js';

const SHAPE = 2;
const OPTIONS = {
  closing: ['closed'],
  neverLoaded: ['glance'],
  shapes: { counter: SHAPE },
  projections: { inline: [], asynchronous: [] },
};

const database = useDatabase({
  template: 'eventsourcing',
  migrate: (url) => migrate(url, eventStoreMigrations),
});

describe('the housekeeping', () => {
  it('makes partitions two ahead, once, however many do it, while others append', async () => {
    const { pool } = database();
    expect(await maintainEventStore(pool)).toMatchObject({ partitions: [] });
    await moveOnTo(pool, PARTITION_SIZE + 5);

    await inTransaction(pool, async (tx) => {
      await store()
        .within(tx)
        .append([counts(newCounter())]);
      const turns = await Promise.all([1, 2, 3].map(() => maintainEventStore(pool)));
      expect(turns.flatMap(({ partitions }) => partitions)).toEqual(['events_p3']);
    });
    await moveOnTo(pool, 4 * PARTITION_SIZE - 1);
    expect(await maintainEventStore(pool)).toMatchObject({
      partitions: ['events_p4', 'events_p5'],
    });
    const { events } = await store().append([counts(newCounter(), 2)]);
    expect(events.map(({ position }) => position)).toEqual([40_000_000n, 40_000_001n]);
  });

  it('forgets command ids after 30 days, and only then', async () => {
    const { pool } = database();
    const [old, young] = [randomUUID(), randomUUID()];
    for (const [id, days] of [
      [old, 31],
      [young, 29],
    ]) {
      await pool.query(`insert into commands values ($1, now() - make_interval(days => $2))`, [
        id,
        days,
      ]);
    }
    await pool.query(
      `insert into commands select gen_random_uuid(), now() - interval '40 days'
         from generate_series(1, 10000)`,
    );
    expect(await maintainEventStore(pool)).toMatchObject({ commands: 10_001 });
    const { rows } = await pool.query(
      'select command_id from commands where command_id = any($1)',
      [[old, young]],
    );
    expect(rows).toEqual([{ command_id: young }]);
  });
});

describe('a partition', () => {
  it('is archived when its streams are closed or have a later snapshot of their shape, and comes back', async () => {
    const { pool } = database();
    const n = await freshPartition(pool);
    const [closed, covered, open] = [newCounter(), newCounter(), newCounter()];
    const glanced = `glance-${randomUUID()}`;
    for (const stream of [closed, covered, open, glanced]) await store().append([counts(stream)]);
    await expect(archivePartition(pool, n, OPTIONS)).rejects.toMatchObject({
      code: 'partition_in_use',
    });

    await fillPartition(pool, n);
    await end(closed);
    for (const version of [1, 2]) await snapshot(covered, version);
    await snapshot(open, 1, SHAPE - 1);
    await expect(archivePartition(pool, n, OPTIONS)).rejects.toMatchObject({
      code: 'partition_has_open_streams',
      message: expect.stringMatching(new RegExp(`^1 streams .*: ${open}\\.$`)),
    });
    await snapshot(open, 1);
    await archivePartition(pool, n, OPTIONS);
    await expect(store().load(open)).rejects.toThrow(`Event 1 of ${open} is missing`);
    expect(await archived()).toContain(n);

    await attachPartition(pool, n);
    expect(await store().load(open)).toMatchObject({ version: 1 });
    expect(await archived()).not.toContain(n);
  });

  it('is not archived while a projection has not read it', async () => {
    const { pool } = database();
    const n = await freshPartition(pool);
    const stream = newCounter();
    const { events } = await store().append([counts(stream)]);
    await snapshot(stream, 1);
    await fillPartition(pool, n);
    const slow = { table: 'slow', aggregate: undefined };
    const options = { ...OPTIONS, projections: { inline: [], asynchronous: [slow] } };
    const unread = {
      code: 'partition_unread',
      message: expect.stringContaining('slow (version 1)'),
    };
    await expect(archivePartition(pool, n, options)).rejects.toMatchObject(unread);
    await pool.query(
      `insert into projection_checkpoints (name, version, live) values ('slow', 1, true)`,
    );
    await expect(archivePartition(pool, n, options)).rejects.toMatchObject(unread);

    await pool.query('update projection_checkpoints set tx = $1, position = $2', [
      events[0]?.tx,
      events[0]?.position,
    ]);
    await archivePartition(pool, n, options);
    expect(await archived()).toContain(n);
  });

  it('is archived once whoever still writes into it has ended, and not without what they wrote', async () => {
    const { pool } = database();
    const n = await freshPartition(pool);
    const late = newCounter();
    const archiving = await inTransaction(pool, async (tx) => {
      await store()
        .within(tx)
        .append([counts(late)]);
      await fillPartition(pool, n);
      const work = archivePartition(pool, n, OPTIONS);
      work.catch(() => undefined);
      await eventually(async () => expect(await isWaitedFor(pool, `events_p${n}`)).toBe(true));
      return { work };
    });
    await expect(archiving.work).rejects.toMatchObject({
      code: 'partition_has_open_streams',
      message: expect.stringContaining(late),
    });
    expect(await store().load(late)).toMatchObject({ version: 1 });
  });

  it('that is not there can neither be archived nor attached', async () => {
    const { pool } = database();
    await expect(archivePartition(pool, 700, OPTIONS)).rejects.toMatchObject({
      code: 'no_partition',
    });
    await expect(attachPartition(pool, 700)).rejects.toMatchObject({ code: 'not_archived' });
    await expect(archivePartition(pool, 0.5, OPTIONS)).rejects.toThrow(RangeError);
  });
});

const store = () => counterStore(database().pool);

/** An event of a type that ends the stream. */
async function end(streamId: string): Promise<void> {
  const { pool } = database();
  const codec = { ...countedCodec, encode: async () => ({ schemaVersion: 1, data: {} }) };
  const events = [{ type: 'closed', data: { n: 0 } }] as unknown as Counted[];
  await postgresEventStore<Counted>({ pool, codec, source: 'junction/test' }).append([
    { streamId, expected: 'exists', events },
  ]);
}

const snapshot = (streamId: string, version: number, shape = SHAPE) =>
  database().pool.query(
    `insert into snapshots (stream_id, version, schema_version, state) values ($1, $2, $3, '{}')
     on conflict (stream_id) do update
       set version = excluded.version, schema_version = excluded.schema_version`,
    [streamId, version, shape],
  );

const archived = async () => {
  const { rows } = await database().pool.query<{ n: number }>('select n from archived_partitions');
  return rows.map(({ n }) => n);
};
