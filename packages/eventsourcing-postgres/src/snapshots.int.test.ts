import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  commandHandler,
  type Decider,
  loadState,
  plainState,
  type StateCodec,
} from '@junction/eventsourcing';
import { type Counted, counted, countedCodec } from '@junction/eventsourcing/testing';
import { useDatabase } from '@junction/testing';
import { postgresEventStore } from './event-store.js';
import { migrate } from './migrate.js';
import { eventStoreMigrations } from './migrations/index.js';
import { postgresSnapshots } from './snapshots.js';
import { inTransaction } from './transaction.js';

const EVERY = 5;

interface Sum {
  readonly sum: number;
}

const summing: Decider<Sum, { type: 'add'; data: { n: number } }, Counted> = {
  initialState: { sum: 0 },
  decide: ({ data }) => [counted(data.n)],
  evolve: ({ sum }, { data }) => ({ sum: sum + data.n }),
};

const database = useDatabase({
  template: 'eventsourcing',
  migrate: (url) => migrate(url, eventStoreMigrations),
});

describe('a long stream', () => {
  it('is loaded from its last snapshot on, without anybody noticing', async () => {
    const { streamId, handle, snapshots, replayed, state } = house();
    for (let n = 1; n <= 12; n++) {
      await handle(streamId, { type: 'add', data: { n } });
      await snapshots.idle();
    }
    // After loads of 5, 6 and 7 would have been replayed: each time a snapshot cut it short.
    expect(Math.max(...replayed)).toBe(EVERY);
    expect(await state()).toEqual({ state: { sum: 78 }, version: 12 });
    // It was taken while the next one was appended, which it may hold or not.
    const { version, state: snapped } = (await stored(streamId)) ?? { version: 0 };
    expect([10, 11]).toContain(version);
    expect(snapped).toEqual({ sum: (version * (version + 1)) / 2 });
  });

  it('is replayed whole when the state has got another shape, and snapped anew', async () => {
    const { streamId, handle, snapshots } = house();
    for (let n = 1; n <= 6; n++) await handle(streamId, { type: 'add', data: { n } });
    await snapshots.idle();

    const doubled = {
      ...summing,
      evolve: ({ sum }: Sum, { data }: Counted) => ({ sum: sum + 2 * data.n }),
    };
    const young = house(doubled, plainState(2, parse), streamId);
    expect(await young.state()).toEqual({ state: { sum: 42 }, version: 6 });
    await young.snapshots.idle();
    expect(young.replayed).toEqual([6]);
    expect(await stored(streamId)).toMatchObject({
      version: 6,
      schema_version: 2,
      state: { sum: 42 },
    });

    // Old code that still runs beside it does not put its own back.
    const old = house(summing, plainState(1, parse), streamId);
    await old.state();
    await old.snapshots.idle();
    expect(await old.snapshots.take(streamId)).toBe(false);
    expect(await stored(streamId)).toMatchObject({ schema_version: 2 });
  });

  it('puts nothing into a snapshot that a transaction took back', async () => {
    const { streamId, handle, snapshots, store } = house();
    for (let n = 1; n <= 4; n++) await handle(streamId, { type: 'add', data: { n } });
    const given = inTransaction(database().pool, async (tx) => {
      const within = { snapshots: snapshots.within(tx) };
      const handleWithin = commandHandler(store.within(tx), summing, within);
      for (const n of [100, 200]) await handleWithin(streamId, { type: 'add', data: { n } });
      await snapshots.idle();
      throw new Error('changed my mind');
    });
    await expect(given).rejects.toThrow('changed my mind');
    expect(await stored(streamId)).toMatchObject({ version: 4, state: { sum: 10 } });
  });

  it('needs no snapshot: one that cannot be taken is only told', async () => {
    const failing = {
      ...plainState(1, parse),
      encode: async () => Promise.reject(new Error('no ink')),
    };
    const { streamId, handle, snapshots, state, errors } = house(summing, failing);
    for (let n = 1; n <= 7; n++) await handle(streamId, { type: 'add', data: { n } });
    await snapshots.idle();
    expect(await state()).toMatchObject({ state: { sum: 28 } });
    expect(errors).toContainEqual(new Error('no ink'));
    expect(await stored(streamId)).toBeUndefined();
  });
});

function house(
  decider = summing,
  codec: StateCodec<Sum> = plainState(1, parse),
  streamId = `counter-${randomUUID()}`,
) {
  const { pool } = database();
  const replayed: number[] = [];
  const errors: unknown[] = [];
  const store = postgresEventStore<Counted>({ pool, codec: countedCodec, source: 'junction/test' });
  const snapshots = postgresSnapshots<Sum, Counted>({
    pool,
    store,
    decider,
    codec,
    every: EVERY,
    onError: (error) => errors.push(error),
  });
  const counting = {
    ...snapshots,
    replayed(id: string, events: number) {
      replayed.push(events);
      snapshots.replayed(id, events);
    },
  };
  return {
    store,
    streamId,
    snapshots,
    replayed,
    errors,
    handle: commandHandler(store, decider, { snapshots: counting }),
    state: () => loadState(store, decider, streamId, counting),
  };
}

function parse(stored: unknown): Sum {
  const { sum } = stored as Partial<Sum>;
  if (typeof sum !== 'number') throw new TypeError('sum is no number');
  return { sum };
}

async function stored(streamId: string) {
  const { rows } = await database().pool.query('select * from snapshots where stream_id = $1', [
    streamId,
  ]);
  return rows[0] as { readonly version: number; readonly state?: unknown } | undefined;
}
