import { describe, expect, it } from '@jest/globals';
import { AppError } from '@junction/errors';
import { batchHandler } from './batch-handler.js';
import type { Command, Decider, Event } from './decider.js';
import type { BatchingEventStore } from './event-store.js';
import { inMemoryEventStore } from './testing.js';

type Drawn = Event<'drawn', { amount: number }>;
type Draw = Command<'draw', { amount: number }>;

/** How much is left of ten. */
const purse: Decider<number, Draw, Drawn> = {
  initialState: 10,
  decide({ data }, left) {
    if (data.amount > left) throw new AppError('conflict', 'empty', 'Not so much is left.');
    return data.amount === 0 ? [] : [{ type: 'drawn', data }];
  },
  evolve: (left, { data }) => left - data.amount,
};

describe('commands that are handled together', () => {
  it('are appended in one call, each seeing what those before it decided', async () => {
    const { handle, store, calls } = bank();
    expect(await handle([draw('a', 6), draw('b', 3), draw('a', 4), draw('a', 0)])).toEqual([
      { events: [drawn(6)], version: 1, repeated: false },
      { events: [drawn(3)], version: 1, repeated: false },
      { events: [drawn(4)], version: 2, repeated: false },
      { events: [], version: 2, repeated: false },
    ]);
    expect(calls()).toBe(1);
    expect(await store.load('purse-a')).toEqual({ history: [drawn(6), drawn(4)], version: 2 });
  });

  it('leave nothing when one of them is refused', async () => {
    const { handle, store } = bank();
    await expect(handle([draw('a', 6), draw('b', 3), draw('a', 5)])).rejects.toMatchObject({
      code: 'empty',
    });
    expect(store.recorded).toEqual([]);
  });

  it('say who did each of them', async () => {
    const { handle, store } = bank();
    const metadata = { actor: { kind: 'user', id: 'u1' } } as const;
    await handle([{ ...draw('a', 1), metadata }, draw('b', 1)]);
    expect(store.recorded.map((event) => event.metadata)).toEqual([metadata, {}]);
  });

  it('are decided again when others came first', async () => {
    const { store } = bank();
    const handle = batchHandler(overtaken(store, 1), purse);
    await handle([draw('a', 6), draw('b', 1)]);
    expect((await store.load('purse-a')).history).toEqual([drawn(1), drawn(6)]);
    expect((await store.load('purse-b')).version).toBe(1);
  });

  it('give up after three rounds and ask the caller to try again', async () => {
    const { store } = bank();
    const handle = batchHandler(overtaken(store, 3), purse);
    await expect(handle([draw('a', 1)])).rejects.toMatchObject({ code: 'stream_contended' });
    expect((await store.load('purse-a')).version).toBe(3);
  });
});

const draw = (id: string, amount: number) => ({
  streamId: `purse-${id}`,
  command: { type: 'draw', data: { amount } } as const,
});
const drawn = (amount: number): Drawn => ({ type: 'drawn', data: { amount } });

function bank() {
  const store = inMemoryEventStore<Drawn>();
  let calls = 0;
  const counted: BatchingEventStore<Drawn> = {
    ...store,
    append: () => Promise.reject(new Error('Appended by itself.')),
    async appendMany(batch) {
      calls++;
      return store.appendMany(batch);
    },
  };
  return { store, handle: batchHandler(counted, purse), calls: () => calls };
}

/** Somebody else draws one between our load and our append, so many times. */
function overtaken(store: BatchingEventStore<Drawn>, times: number): BatchingEventStore<Drawn> {
  let time = 0;
  return {
    ...store,
    async appendMany(batch) {
      if (++time <= times) {
        await store.append([{ streamId: 'purse-a', expected: 'any', events: [drawn(1)] }]);
      }
      return store.appendMany(batch);
    },
  };
}
