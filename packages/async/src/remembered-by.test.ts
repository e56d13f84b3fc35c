import { describe, expect, it } from '@jest/globals';
import { deferred } from './deferred.js';
import { rememberedBy } from './remembered-by.js';

const MINUTE_MS = 60_000;

describe('answers that are remembered by a key', () => {
  it('are fetched once for all callers at the same time, and for those after them', async () => {
    const { ask, asked } = counted();
    const found = rememberedBy({ freshMs: MINUTE_MS, sizeMax: 10, sizeOf: () => 1 });
    expect(await Promise.all([found('a', ask), found('a', ask), found('b', ask)])).toEqual([
      1, 1, 2,
    ]);
    expect(await found('a', ask)).toBe(1);
    expect(asked()).toBe(2);
  });

  it('are shared while they are under way alone, when they are not to be kept', async () => {
    const { ask } = counted();
    const found = rememberedBy({ freshMs: 0, sizeMax: 10, sizeOf: () => 1 });
    expect(await Promise.all([found('a', ask), found('a', ask)])).toEqual([1, 1]);
    expect(await found('a', ask)).toBe(2);
  });

  it('are forgotten, the first first, beyond a size in sum; one that is larger is not kept', async () => {
    const { ask, asked } = counted();
    const sizes: Record<number, number> = { 1: 4, 2: 4, 3: 4, 4: 11 };
    const found = rememberedBy({
      freshMs: MINUTE_MS,
      sizeMax: 10,
      sizeOf: (n: number) => sizes[n] ?? 0,
    });
    for (const key of ['a', 'b', 'c', 'd']) await found(key, ask);
    expect(await found('b', ask)).toBe(2);
    expect(await found('c', ask)).toBe(3);
    expect(asked()).toBe(4);
    expect(await found('a', ask)).toBe(5);
    expect(await found('d', ask)).toBe(6);
  });

  it('fail for all who wait, and are fetched again afterwards', async () => {
    const { ask } = counted();
    const found = rememberedBy({ freshMs: MINUTE_MS, sizeMax: 10, sizeOf: () => 1 });
    const { promise, resolve } = deferred<void>();
    const failing = async () => {
      await promise;
      throw new Error('away');
    };
    const both = [found('a', failing), found('a', ask)];
    resolve();
    for (const one of both) await expect(one).rejects.toThrow('away');
    expect(await found('a', ask)).toBe(1);
  });
});

function counted() {
  let asked = 0;
  return { ask: async () => ++asked, asked: () => asked };
}
