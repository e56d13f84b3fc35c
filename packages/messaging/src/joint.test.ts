import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { joint } from './joint.js';

interface Share {
  readonly name: string;
  readonly size: number;
}

describe('shares that are offered', () => {
  it('in the same turn are taken together, and each gets its own result', async () => {
    const { offer, taken } = stage();
    expect(await Promise.all([offer('a1', 1), offer('a2', 2)])).toEqual(['a1!', 'a2!']);
    expect(taken).toEqual(['a1 a2']);
  });

  it('are taken in their order, as many of a kind together as fit', async () => {
    const { offer, taken } = stage({ concurrency: 9 });
    await Promise.all([offer('a1', 6), offer('a2', 5), offer('b1', 1), offer('b2', 99)]);
    expect(taken).toEqual(['a1', 'a2', 'b1', 'b2']);
  });

  it('while as many are being taken as may be wait, and are taken together then', async () => {
    const { offer, taken, open } = stage({ isClosed: true });
    const first = offer('a1', 1);
    await setImmediate();
    const later = [offer('a2', 1)];
    await setImmediate();
    later.push(offer('a3', 1));
    await setImmediate();
    expect(taken).toEqual(['a1']);
    open();
    await Promise.all([first, ...later]);
    expect(taken).toEqual(['a1', 'a2 a3']);
  });

  it('fail together, and those after them are taken', async () => {
    const { offer } = stage();
    const failing = [offer('bad', 1), offer('bay', 1)];
    for (const one of failing) await expect(one).rejects.toThrow('bad');
    expect(await offer('a1', 1)).toBe('a1!');
  });
});

function stage({ concurrency = 1, isClosed = false } = {}) {
  const taken: string[] = [];
  let open = (): void => undefined;
  const door = isClosed ? new Promise<void>((resolve) => (open = resolve)) : Promise.resolve();
  const offer = joint<Share, string>({
    concurrency,
    sizeMax: 10,
    sizeOf: ({ size }) => size,
    kindOf: ({ name }) => name.slice(0, 1),
    async take(shares) {
      const names = shares.map(({ name }) => name);
      taken.push(names.join(' '));
      await door;
      if (names.includes('bad')) throw new Error('bad');
      return names.map((name) => `${name}!`);
    },
  });
  return {
    offer: async (name: string, size: number) => offer({ name, size }),
    taken,
    open: () => open(),
  };
}
