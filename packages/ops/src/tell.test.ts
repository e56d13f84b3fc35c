import { describe, expect, it } from '@jest/globals';
import { tell } from './tell.js';

describe('work that is told step by step', () => {
  it('gives its last step', async () => {
    const sent: number[] = [];
    const send = async (n: number) => void sent.push(n);
    const { signal } = new AbortController();
    expect(await tell(steps(1, 2, 3), { signal, what: 'it', send })).toBe(3);
    expect(sent).toEqual([1, 2, 3]);
    expect(await tell(steps<number>(), { signal, what: 'it', send })).toBeUndefined();
  });

  it('is called off when whoever asked hangs up', async () => {
    const off = new AbortController();
    const send = async () => {
      off.abort();
      throw new Error('The stream is closed.');
    };
    const { signal } = off;
    await expect(tell(steps(1, 2), { signal, what: 'the rebuild', send })).rejects.toMatchObject({
      kind: 'unavailable',
      code: 'called_off',
      message: 'Whoever asked for it hung up on the rebuild.',
    });
  });

  it('fails as it fails while they listen', async () => {
    const { signal } = new AbortController();
    const send = async () => Promise.reject(new Error('out of paper'));
    await expect(tell(steps(1), { signal, what: 'it', send })).rejects.toThrow('out of paper');
  });
});

async function* steps<P>(...all: readonly P[]): AsyncGenerator<P, void, undefined> {
  yield* all;
}
