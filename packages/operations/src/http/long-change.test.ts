import { describe, expect, it } from '@jest/globals';
import type { Journal } from './journal.js';
import { runLong } from './long-change.js';
import type { Facts } from './operation.js';

const ACTOR = { clientId: 'cli_1' };

describe('a change that takes long', () => {
  it('tells each step, and records the last', async () => {
    const told: number[] = [];
    const { journal, results } = recorder();
    const { signal } = new AbortController();
    const onProgress = (n: number) => void told.push(n);
    await runLong(ACTOR, journal, changeOf(1, 2, 3), { signal, onProgress });
    expect([told, results]).toEqual([[1, 2, 3], [{ last: 3 }]]);
  });

  it('is called off when its caller hangs up', async () => {
    const off = new AbortController();
    const onProgress = async () => {
      off.abort();
      throw new Error('The stream is closed.');
    };
    const { journal, results } = recorder();
    const run = { signal: off.signal, onProgress };
    await expect(runLong(ACTOR, journal, changeOf(1, 2), run)).rejects.toMatchObject({
      kind: 'unavailable',
      code: 'called_off',
    });
    expect(results).toEqual([]);
  });

  it('fails as it fails while its caller listens', async () => {
    const { signal } = new AbortController();
    const onProgress = async () => Promise.reject(new Error('out of paper'));
    const { journal } = recorder();
    await expect(runLong(ACTOR, journal, changeOf(1), { signal, onProgress })).rejects.toThrow(
      'out of paper',
    );
  });
});

const changeOf = (...all: readonly number[]) => ({
  method: 'RebuildProjection',
  asked: {},
  work: async function* () {
    yield* all;
  },
  resultOf: (last?: number) => ({ last: last ?? 0 }),
});

/** Keeps the results of changes in memory. */
function recorder() {
  const results: Facts[] = [];
  const journal: Pick<Journal, 'change'> = {
    async change(_actor, _method, _asked, work) {
      const { answer, result } = await work();
      results.push(result);
      return answer;
    },
  };
  return { journal, results };
}
