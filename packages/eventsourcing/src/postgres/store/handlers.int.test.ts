import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { AppError } from '@junction/errors';
import { useDatabase } from '@junction/testing';
import { eventStoreDatabase } from '../../../test/counters.js';
import {
  batchHandler,
  type Command,
  commandHandler,
  type Decider,
  type Event,
  jsonCodec,
  schema,
} from '../../index.js';
import { inTransaction } from '../transaction.js';
import { postgresEventStore } from './event-store.js';
import { readStream } from './read-stream.js';

type Changed = Event<'drawn', { amount: number }> | Event<'filled'>;
type Change = Command<'draw', { amount: number }> | Command<'fill'>;

/** Decides about a purse of ten; the state is how much is left. */
const purse: Decider<number, Change, Changed> = {
  initialState: 10,
  decide(command, left) {
    if (command.type === 'fill') return left === 10 ? [] : [filled];
    const { data } = command;
    if (data.amount > left)
      throw new AppError({ kind: 'conflict', code: 'empty' }, 'Not so much is left.');
    return [{ type: 'drawn', data }];
  },
  evolve: (left, event) => (event.type === 'filled' ? 10 : left - event.data.amount),
};

const draw = (amount: number): Change => ({ type: 'draw', data: { amount } });
const fill: Change = { type: 'fill', data: {} };
const drawn = (amount: number): Changed => ({ type: 'drawn', data: { amount } });
const filled: Changed = { type: 'filled', data: {} };

const database = useDatabase(eventStoreDatabase);

describe('a command', () => {
  it('is decided on the history and appended to it', async () => {
    const id = newPurse();
    await handle(id, draw(6));
    expect(await handle(id, fill)).toEqual({ events: [filled], version: 2, repeated: false });
    expect(await store().load(id)).toEqual({ history: [drawn(6), filled], version: 2 });
  });

  it('appends nothing when there is nothing to do', async () => {
    const id = newPurse();
    expect(await handle(id, fill)).toEqual({ events: [], version: 0, repeated: false });
  });

  it('is decided again when other commands came first, also in a transaction of the caller', async () => {
    const id = newPurse();
    await inTransaction(database().pool, (tx) =>
      commandHandler(overtaken(id, 1, store().within(tx)), purse)(id, draw(6)),
    );
    expect(await store().load(id)).toEqual({ history: [drawn(1), drawn(6)], version: 2 });
  });

  it('is decided twice at most in a transaction, however many others there are', async () => {
    const id = newPurse();
    const draws = Array.from({ length: 20 }, () =>
      inTransaction(database().pool, (tx) =>
        commandHandler(store().within(tx), purse, { roundsMax: 2 })(id, draw(0.5)),
      ),
    );
    await store().append([{ streamId: id, expected: 'any', events: [drawn(0)] }]);
    await Promise.all(draws);
    expect((await store().load(id)).version).toBe(21);
  });

  it('gives up after as many rounds as it may, and asks the caller to try again', async () => {
    const id = newPurse();
    const handling = commandHandler(overtaken(id, 3), purse, { roundsMax: 3 })(id, draw(1));
    await expect(handling).rejects.toMatchObject({ kind: 'contended', code: 'stream_contended' });
    expect((await store().load(id)).version).toBe(3);
  });
});

describe('a repeated command', () => {
  it.each([
    ['the state would refuse it', [], draw(6)],
    ['there would be nothing to do', [draw(1)], fill],
    ['it could be done once more', [], draw(3)],
  ])('hears what the first one heard, although by now %s', async (_, before, command) => {
    const id = newPurse();
    const context = { commandId: randomUUID() };
    for (const one of before) await handle(id, one);
    const first = await handle(id, command, context);
    expect(await handle(id, command, context)).toEqual({ ...first, repeated: true });
    expect((await store().load(id)).version).toBe(before.length + 1);
  });

  it('is refused like any other when the first one was refused too', async () => {
    const id = newPurse();
    const context = { commandId: randomUUID() };
    for (let time = 1; time <= 2; time++) {
      await expect(handle(id, draw(11), context)).rejects.toMatchObject({ code: 'empty' });
    }
  });
});

describe('commands that are handled together', () => {
  it('are appended in one call, each seeing what those before it decided', async () => {
    const [a, b] = [newPurse(), newPurse()];
    let calls = 0;
    const counted = {
      ...store(),
      append: () => Promise.reject(new Error('Appended by itself.')),
      async appendMany(...args: Parameters<Store['appendMany']>) {
        calls++;
        return store().appendMany(...args);
      },
    };
    const metadata = { actor: { kind: 'user', id: 'u1' } } as const;
    const handled = await batchHandler(
      counted,
      purse,
    )([
      { streamId: a, command: draw(6), metadata },
      { streamId: b, command: draw(3) },
      { streamId: a, command: draw(4) },
      { streamId: newPurse(), command: fill },
    ]);
    expect(handled).toEqual([
      { events: [drawn(6)], version: 1, repeated: false },
      { events: [drawn(3)], version: 1, repeated: false },
      { events: [drawn(4)], version: 2, repeated: false },
      { events: [], version: 0, repeated: false },
    ]);
    expect(calls).toBe(1);
    const stored = await readStream(database().pool, a, 0, 10);
    expect(stored.map((event) => event.metadata)).toEqual([metadata, {}]);
  });

  it('are decided on histories of any length', async () => {
    const [long, short] = [newPurse(), newPurse()];
    const events = Array.from({ length: 10 }, () => drawn(1));
    for (let n = 0; n < 6; n++) {
      await store().append([{ streamId: long, expected: 'any', events: [...events, filled] }]);
    }
    await store().append([{ streamId: short, expected: 'none', events: [drawn(9)] }]);
    const commands = [long, short].map((streamId) => ({ streamId, command: draw(1) }));
    const handled = await batchHandler(store(), purse)(commands);
    expect(handled.map(({ version }) => version)).toEqual([67, 2]);
  });

  it('leave nothing when one of them is refused', async () => {
    const [a, b] = [newPurse(), newPurse()];
    const commands = [
      { streamId: a, command: draw(6) },
      { streamId: b, command: draw(3) },
      { streamId: a, command: draw(5) },
    ];
    await expect(batchHandler(store(), purse)(commands)).rejects.toMatchObject({ code: 'empty' });
    for (const id of [a, b]) expect((await store().load(id)).version).toBe(0);
  });

  it.each([
    [1, 'are decided again when others came first'],
    [3, 'give up after as many rounds as they may, and ask the caller to try again'],
  ])('overtaken %d times: %s', async (times) => {
    const id = newPurse();
    const handling = batchHandler(overtaken(id, times), purse, { roundsMax: 3 })([
      { streamId: id, command: draw(6) },
    ]);
    if (times === 3) await expect(handling).rejects.toMatchObject({ code: 'stream_contended' });
    else expect(await handling).toMatchObject([{ events: [drawn(6)], version: 2 }]);
    expect((await store().load(id)).version).toBe(times === 3 ? 3 : 2);
  });
});

const newPurse = (): string => `purse-${randomUUID()}`;

const codec = jsonCodec<Changed>({
  drawn: schema((data) => data as { amount: number }),
  filled: schema(() => ({})),
});

const store = () =>
  postgresEventStore<Changed>({ pool: database().pool, codec, source: 'junction/test' });

type Store = ReturnType<ReturnType<typeof store>['within']>;

const handle: ReturnType<typeof commandHandler<number, Change, Changed>> = (...args) =>
  commandHandler(store(), purse)(...args);

/** Returns a store in which another writer comes first after a load, so many times. */
function overtaken(id: string, times: number, within: Store = store()): Store {
  let time = 0;
  const before = async <T>(loaded: T): Promise<T> => {
    if (++time <= times) {
      await store().append([{ streamId: id, expected: 'any', events: [drawn(1)] }]);
    }
    return loaded;
  };
  return {
    ...within,
    load: async (streamId) => before(await within.load(streamId)),
    loadMany: async (streamIds) => before(await within.loadMany(streamIds)),
  };
}
