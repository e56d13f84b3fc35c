import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { eventually, useDatabase } from '@junction/testing';
import type pg from 'pg';
import { counterStore, counts, eventStoreDatabase, newCounter } from '../../../test/counters.js';
import { inTransaction } from '../transaction.js';
import { searchEvent } from './find-event.js';
import { maintainEventStore } from './maintain.js';
import { BEGINNING, readAll } from './read-all.js';
import { readStream } from './read-stream.js';

/** Number of positions in a partition, as in the migration of `events`. */
const PARTITION_SIZE = 10_000_000;

const database = useDatabase(eventStoreDatabase);

describe('stored events', () => {
  it.each([
    `update events set type = 'other'`,
    `update events_p0 set type = 'other'`,
    'delete from events',
    'delete from events_p1 where false',
    'truncate events',
    'truncate events_p0',
  ])('cannot be changed by %s', async (statement) => {
    await append(newCounter(), 1);
    await expect(database().pool.query(statement)).rejects.toMatchObject({ code: 'JN002' });
  });

  it('cannot have the same version of a stream twice in a partition', async () => {
    const streamId = newCounter();
    await append(streamId, 2);
    const twice = database().pool.query(
      `insert into events (stream_id, version, tx, event_id, type, schema_version, data, recorded_at)
       select stream_id, version, tx, event_id, type, schema_version, data, recorded_at
         from events where stream_id = $1 and version = 1`,
      [streamId],
    );
    await expect(twice).rejects.toMatchObject({ code: '23505' });
  });

  it('are found by their id alone, newest first, as far as the time goes', async () => {
    const streamId = newCounter();
    await append(streamId, 5);
    const { pool } = database();
    const stored = await readStream(pool, streamId, 0, 10);
    const search = async (id: string, withinMs: number) =>
      searchEvent(pool, id, { withinMs, pageSize: 2 });

    const first = stored[0];
    expect(await search(first?.eventId ?? '', 60_000)).toMatchObject({ event: first });
    expect(await search(randomUUID(), 60_000)).toMatchObject({
      event: undefined,
      isComplete: true,
    });
    expect(await search(stored[4]?.eventId ?? '', 0)).toMatchObject({ event: stored[4] });
    expect(await search(first?.eventId ?? '', 0)).toEqual({
      event: undefined,
      isComplete: false,
      since: stored[3]?.recordedAt,
    });
    const hungUp = { withinMs: 60_000, signal: AbortSignal.abort(new Error('hung up')) };
    await expect(searchEvent(pool, randomUUID(), hungUp)).rejects.toThrow('hung up');
  });
});

describe('a stream', () => {
  it('is read from a version on, at most so far', async () => {
    const streamId = newCounter();
    await append(streamId, 5);
    const events = await readStream(database().pool, streamId, 1, 3);
    expect(events.map(({ version }) => version)).toEqual([2, 3, 4]);
    expect(await readStream(database().pool, streamId, 5, 3)).toEqual([]);
  });

  it('is read from its end, page by page', async () => {
    const streamId = newCounter();
    await append(streamId, 5);
    const versions = async (before?: number) =>
      (await store().recent(streamId, { before, limit: 2 })).map(({ version }) => version);

    expect(await versions()).toEqual([5, 4]);
    expect(await versions(4)).toEqual([3, 2]);
    expect(await versions(2)).toEqual([1]);
    expect(await versions(1)).toEqual([]);
    expect(await store().recent(newCounter(), { limit: 2 })).toEqual([]);
    expect(await store().recent(streamId, { limit: 1 })).toMatchObject([
      { streamId, version: 5, event: { data: { n: 4 } }, recordedAt: expect.any(Date) },
    ]);
  });

  it('longer than a page is loaded whole', async () => {
    const streamId = newCounter();
    for (let times = 1; times <= 3; times++) await append(streamId, 700);
    const { history, version } = await store().load(streamId);
    expect(version).toBe(2_100);
    expect(history.map(({ data }) => data.n)).toEqual(
      Array.from({ length: 2_100 }, (_, index) => index % 700),
    );
  });
});

it('the border between two partitions is crossed within one append, and read across', async () => {
  const streamId = newCounter();
  await append(streamId, 1);
  await moveOnTo(database().pool, PARTITION_SIZE - 2);
  await append(streamId, 5);

  const { rows } = await database().pool.query<{ partition: string; count: number }>(
    `select tableoid::regclass::text as partition, count(*)::int from events
        where stream_id = $1 group by 1 order by 1`,
    [streamId],
  );
  expect(rows).toEqual([
    { partition: 'events_p0', count: 2 },
    { partition: 'events_p1', count: 4 },
  ]);
  expect(await store().load(streamId)).toMatchObject({ version: 6 });
  await eventually(async () => {
    const all = await readAll(database().pool, BEGINNING, 10_000);
    const ours = all.filter((event) => event.streamId === streamId);
    expect(ours.map(({ version }) => version)).toEqual([1, 2, 3, 4, 5, 6]);
  });
});

describe('maintenance of the event store', () => {
  it('makes partitions two ahead, once, however many do it, while others append', async () => {
    const { pool } = database();
    await moveOnTo(pool, 100);
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

describe('a partition that is missing', () => {
  it('stops appends, and keeps what they would have stored together', async () => {
    const streamId = newCounter();
    await moveOnTo(database().pool, 7 * PARTITION_SIZE - 2);
    await expect(append(streamId, 5)).rejects.toMatchObject({ code: '23514' });
    expect(await store().load(streamId)).toEqual({ history: [], version: 0 });

    await database().pool.query('select make_events_partitions(2)');
    await append(streamId, 5);
    expect(await store().load(streamId)).toMatchObject({ version: 5 });
  });

  it('makes its streams refuse to load instead of beginning anew', async () => {
    const [old, young] = [newCounter(), newCounter()];
    await moveOnTo(database().pool, 5 * PARTITION_SIZE - 4);
    await append(old, 2);
    await append(young, 4);
    await database().pool.query('alter table events detach partition events_p4');

    await expect(store().load(old)).rejects.toThrow(`Event 1 of ${old} is missing`);
    await expect(store().load(young)).rejects.toThrow(`Event 1 of ${young} is missing`);
    await expect(store().recent(young, { limit: 4 })).rejects.toThrow('is missing');
    expect(await store().recent(young, { limit: 2 })).toHaveLength(2);
    const rest = await readStream(database().pool, young, 2, 10);
    expect(rest.map(({ version }) => version)).toEqual([3, 4]);
  });
});

const store = () => counterStore(database().pool);

const append = (streamId: string, count: number) => store().append([counts(streamId, count)]);

/** Moves the sequence, so that the next event gets the position after this one. */
async function moveOnTo(pool: pg.Pool, position: number): Promise<void> {
  await pool.query(`select setval(pg_get_serial_sequence('events', 'position'), $1)`, [position]);
}
