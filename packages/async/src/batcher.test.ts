import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, jest } from '@jest/globals';
import { batcher } from './batcher.js';

interface Item {
  readonly name: string;
  readonly size: number;
}

describe('a batcher', () => {
  it('processes items of one turn of the event loop together, and gives each its own result', async () => {
    const { offer, batches } = stage();
    expect(await Promise.all([offer('a1', 1), offer('a2', 2)])).toEqual(['a1!', 'a2!']);
    expect(batches).toEqual(['a1 a2']);
  });

  it('processes items in their order, as many of a kind together as fit', async () => {
    const { offer, batches } = stage({ concurrency: 9 });
    await Promise.all([offer('a1', 6), offer('a2', 5), offer('b1', 1), offer('b2', 99)]);
    expect(batches).toEqual(['a1', 'a2', 'b1', 'b2']);
  });

  it('holds items back while as many batches run as may, and processes them together then', async () => {
    const { offer, batches, open } = stage({ isClosed: true });
    const first = offer('a1', 1);
    await setImmediate();
    const later = [offer('a2', 1)];
    await setImmediate();
    later.push(offer('a3', 1));
    await setImmediate();
    expect(batches).toEqual(['a1']);
    open();
    await Promise.all([first, ...later]);
    expect(batches).toEqual(['a1', 'a2 a3']);
  });

  it('answers a batch at once, and rests before the next', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    const { offer, batches } = stage({ restMs: 100 });
    expect(await offer('a1', 1)).toBe('a1!');
    const later = Promise.all([offer('a2', 1), setImmediate(), offer('a3', 1)]);
    await setImmediate();
    jest.advanceTimersByTime(99);
    expect(batches).toEqual(['a1']);
    jest.advanceTimersByTime(1);
    await later;
    expect(batches).toEqual(['a1', 'a2 a3']);
    jest.useRealTimers();
  });

  it('rejects all items of a failed batch, and processes those after them', async () => {
    const { offer } = stage();
    const failing = [offer('bad', 1), offer('bay', 1)];
    for (const one of failing) await expect(one).rejects.toThrow('bad');
    expect(await offer('a1', 1)).toBe('a1!');
  });
});

function stage({ concurrency = 1, isClosed = false, restMs = 0 } = {}) {
  const batches: string[] = [];
  let open = (): void => undefined;
  const gate = isClosed ? new Promise<void>((resolve) => (open = resolve)) : Promise.resolve();
  const offer = batcher<Item, string>({
    concurrency,
    sizeMax: 10,
    restMs,
    sizeOf: ({ size }) => size,
    kindOf: ({ name }) => name.slice(0, 1),
    async process(items) {
      const names = items.map(({ name }) => name);
      batches.push(names.join(' '));
      await gate;
      if (names.includes('bad')) throw new Error('bad');
      return names.map((name) => `${name}!`);
    },
  });
  return {
    offer: async (name: string, size: number) => offer({ name, size }),
    batches,
    open: () => open(),
  };
}
