import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { plainState } from '@junction/eventsourcing';
import { type Counted, countedCodec } from '@junction/eventsourcing/testing';
import { useDatabase } from '@junction/testing';
import { counts, newCounter } from '../test/counters.js';
import { fillPartition, freshPartition } from '../test/partitions.js';
import { archivePartition } from './archive.js';
import { postgresEventStore } from './event-store.js';
import { migrate } from './migrate.js';
import { eventStoreMigrations } from './migrations/index.js';
import { postgresSnapshots } from './snapshots.js';
import { type SnapshotsProgress, type TakingOptions, takeSnapshots } from './take-snapshots.js';

const STREAMS = 450;

const database = useDatabase({
  template: 'eventsourcing',
  migrate: (url) => migrate(url, eventStoreMigrations),
});

describe('the snapshots that an archive waits for', () => {
  it('are taken of every open stream, also by a run that goes on after one broken off', async () => {
    const { pool } = database();
    const { store, snapshots, archive, take, failed } = house();
    const n = await freshPartition(pool);
    const streams = Array.from({ length: STREAMS }, newCounter).sort();
    await store.appendMany(streams.map((stream) => ({ appends: [counts(stream)] })));
    await store.append([counts(`glance-${randomUUID()}`)]);
    await expect(all(takeSnapshots(pool, n, take()))).rejects.toMatchObject({
      code: 'partition_in_use',
    });
    await fillPartition(pool, n);
    await expect(archivePartition(pool, n, archive)).rejects.toMatchObject({
      code: 'partition_has_open_streams',
    });

    const off = new AbortController();
    const brokenOff: SnapshotsProgress[] = [];
    const running = async () => {
      for await (const progress of takeSnapshots(pool, n, take(off.signal))) {
        brokenOff.push(progress);
        if (progress.streamsDone > 0) off.abort();
      }
    };
    await expect(running()).rejects.toThrow('aborted');
    const { streamsDone: before = 0 } = brokenOff.at(-1) ?? {};
    expect(before).toBeGreaterThan(0);
    expect(before).toBeLessThan(STREAMS);

    const told = await all(takeSnapshots(pool, n, take()));
    expect(told[0]).toEqual({
      phase: 'taking',
      streamsDone: 0,
      streamsTotal: STREAMS - before,
      streamsLeft: STREAMS - before,
    });
    expect(told.at(-1)).toEqual({
      phase: 'done',
      streamsDone: STREAMS - before,
      streamsTotal: STREAMS - before,
      streamsLeft: 0,
    });
    expect(failed).toEqual([]);
    await archivePartition(pool, n, archive);
    // The events are gone, and the state is there.
    const [first = ''] = streams;
    expect(await snapshots.find(first)).toEqual({ state: { sum: 0 }, version: 1 });
  });

  it('leave open what cannot be loaded, or has none, and say how many', async () => {
    const { pool } = database();
    const { store, archive, take, failed } = house();
    const n = await freshPartition(pool);
    const [fine, broken, other] = [newCounter(), newCounter(), `thing-${randomUUID()}`];
    for (const stream of [fine, broken, other]) await store.append([counts(stream)]);
    await pool.query(`update streams set version = 2 where stream_id = $1`, [broken]);
    await fillPartition(pool, n);

    const told = await all(takeSnapshots(pool, n, take()));
    expect(told.at(-1)).toEqual({ phase: 'done', streamsDone: 1, streamsTotal: 3, streamsLeft: 2 });
    expect(failed).toEqual([broken]);
    await expect(archivePartition(pool, n, archive)).rejects.toThrow(/^2 streams/);
  });
});

function house() {
  const { pool } = database();
  const store = postgresEventStore<Counted>({ pool, codec: countedCodec, source: 'junction/test' });
  const snapshots = postgresSnapshots<{ sum: number }, Counted>({
    pool,
    store,
    decider: {
      initialState: { sum: 0 },
      evolve: ({ sum }, { data }) => ({ sum: sum + data.n }),
    },
    codec: plainState(1, (stored) => stored as { sum: number }),
    onError: (error) => {
      throw error;
    },
  });
  const { shape } = snapshots;
  const archive = {
    closing: ['closed'],
    neverLoaded: ['glance'],
    shapes: { counter: shape },
    projections: { inline: [], asynchronous: [] },
  };
  const failed: string[] = [];
  const take = (signal = new AbortController().signal): TakingOptions => ({
    archive,
    take: async (stream) => stream.startsWith('counter-') && snapshots.take(stream),
    onError: (_, stream) => failed.push(stream),
    signal,
  });
  return { store, snapshots, archive, take, failed };
}

async function all<T>(run: AsyncIterable<T>): Promise<readonly T[]> {
  const seen: T[] = [];
  for await (const one of run) seen.push(one);
  return seen;
}
