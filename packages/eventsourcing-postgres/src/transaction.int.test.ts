import { describe, expect, it } from '@jest/globals';
import { useDatabase } from '@junction/testing';
import { counterStore, counts, newCounter } from '../test/counters.js';
import { eventStoreMigrations } from './migrations/index.js';
import { migrate } from './migrations/migrate.js';
import { inRetriedTransaction, inTransaction } from './transaction.js';

const database = useDatabase({
  template: 'eventsourcing',
  migrate: (url) => migrate(url, eventStoreMigrations),
});

describe('a transaction that Postgres ends so that another can go on', () => {
  it('is done again from its beginning, and takes effect once', async () => {
    const { outcomes, times, versions } = await crossing(inRetriedTransaction);
    expect(outcomes).toEqual(['fulfilled', 'fulfilled']);
    expect(times).toBe(3);
    expect(versions).toEqual([2, 2]);
  });

  it('fails where nobody said that its work may be repeated', async () => {
    const { outcomes, times, versions } = await crossing(inTransaction);
    expect(new Set(outcomes)).toEqual(new Set(['40P01', 'fulfilled']));
    expect(times).toBe(2);
    expect(versions).toEqual([1, 1]);
  });
});

/** Two of them append to two streams, each first to the one that the other wants next. */
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
