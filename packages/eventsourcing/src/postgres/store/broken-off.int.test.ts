import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { isOutage } from '@junction/errors';
import { useDatabase } from '@junction/testing';
import type pg from 'pg';
import {
  begins,
  counterStore,
  counts,
  eventStoreDatabase,
  newCounter,
  untilBlockedBy,
} from '../../../test/counters.js';
import { counted } from '../../testing.js';
import { inRetriedTransaction, inTransaction } from '../transaction.js';

const database = useDatabase(eventStoreDatabase);

describe('an append that Postgres breaks off', () => {
  it('is tried again after a deadlock with another transaction', async () => {
    const [one, two] = [newCounter(), newCounter()].sort();
    if (one === undefined || two === undefined) throw new Error('no streams');
    await openStore().append([begins(one), begins(two)]);

    const appending = await inTransaction(database().pool, async (tx) => {
      // The append, waiting longer, is the one that looks for the deadlock and gives way.
      await tx.query(`set local deadlock_timeout = '1min'`);
      await lockHead(tx, two);
      const appending = openStore().append([
        { streamId: one, expected: 1, events: [counted(2)] },
        { streamId: two, expected: 1, events: [counted(2)] },
      ]);
      await untilBlockedBy(tx);
      await lockHead(tx, one);
      return { outcome: appending };
    });
    expect((await appending.outcome).streams.map(({ version }) => version)).toEqual([2, 2]);
  });

  it('is sent again over a new connection when its command has an id', async () => {
    const streamId = newCounter();
    const appending = await appendKilledWhileWaiting(streamId, { commandId: randomUUID() });
    expect(await appending.outcome).toMatchObject({ streams: [{ streamId, version: 2 }] });
  });

  it('is not sent again when its repeat could not be recognised', async () => {
    const streamId = newCounter();
    const appending = await appendKilledWhileWaiting(streamId, {});
    await expect(appending.outcome).rejects.toMatchObject({ code: '57P01' });
    expect(await openStore().load(streamId)).toMatchObject({ version: 1 });
  });
});

describe('a transaction that Postgres ends so that another can go on', () => {
  it('is done again from its beginning, and takes effect once', async () => {
    const { outcomes, times, versions } = await crossing(inRetriedTransaction);
    expect(outcomes).toEqual(['fulfilled', 'fulfilled']);
    expect(times).toBe(3);
    expect(versions).toEqual([2, 2]);
  });

  it('fails when its work may not be repeated', async () => {
    const { outcomes, times, versions } = await crossing(inTransaction);
    expect(new Set(outcomes)).toEqual(new Set(['40P01', 'fulfilled']));
    expect(times).toBe(2);
    expect(versions).toEqual([1, 1]);
  });
});

it('an append while the disk is full fails as an outage, stores nothing, and succeeds afterwards', async () => {
  const { pool } = database();
  const streamId = newCounter();
  const context = { commandId: randomUUID() };
  await pool.query(`
      create function no_space() returns trigger language plpgsql as $$ begin
        raise exception 'could not extend file: No space left on device' using errcode = '53100';
      end $$;
      create trigger no_space before insert on events for each row execute function no_space()`);
  try {
    const failing = openStore().append([begins(streamId)], context);
    await expect(failing).rejects.toMatchObject({ code: '53100' });
    expect(isOutage(await failing.catch((error: unknown) => error))).toBe(true);
    expect(await openStore().load(streamId)).toMatchObject({ version: 0 });
  } finally {
    await pool.query('drop function no_space cascade');
  }
  expect(await openStore().append([begins(streamId)], context)).toMatchObject({
    repeated: false,
    streams: [{ streamId, version: 1 }],
  });
});

const openStore = () => counterStore(database().pool);

const lockHead = (tx: pg.ClientBase, streamId: string) =>
  tx.query('select from streams where stream_id = $1 for update', [streamId]);

/** Appends on a connection that is ended while the append waits for the head row of its stream. */
async function appendKilledWhileWaiting(streamId: string, context: { commandId?: string }) {
  await openStore().append([begins(streamId)]);
  return inTransaction(database().pool, async (tx) => {
    await lockHead(tx, streamId);
    const outcome = openStore().append([{ streamId, expected: 1, events: [counted(2)] }], context);
    // The outcome is awaited later; until then a rejection must not count as unhandled.
    outcome.catch(() => {});
    await tx.query('select pg_terminate_backend($1)', [await untilBlockedBy(tx)]);
    return { outcome };
  });
}

/** Runs two transactions that append to two streams, each first to the stream that the other wants next. */
async function crossing(run: typeof inRetriedTransaction) {
  const { pool } = database();
  const store = counterStore(pool);
  const streams = [newCounter(), newCounter()];
  let times = 0;
  let bothHold: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (bothHold = resolve));
  const cross = (order: readonly string[]) =>
    run(pool, async (tx) => {
      const [own = '', others = ''] = order;
      await store.within(tx).append([counts(own)]);
      if (++times === 2) bothHold();
      await held;
      await store.within(tx).append([counts(others)]);
    });
  const settled = await Promise.allSettled([cross(streams), cross(streams.toReversed())]);
  const loaded = await Promise.all(streams.map((stream) => store.load(stream)));
  return {
    outcomes: settled.map((one) =>
      one.status === 'fulfilled' ? one.status : (one.reason as { code?: string }).code,
    ),
    times,
    versions: loaded.map(({ version }) => version),
  };
}
