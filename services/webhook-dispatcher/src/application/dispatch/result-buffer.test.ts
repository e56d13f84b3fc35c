import { describe, expect, it, jest } from '@jest/globals';
import { eventually } from '@junction/testing';
import type { Result } from './job.js';
import { resultBuffer } from './result-buffer.js';

describe('results', () => {
  it('are written together, in the order they came', async () => {
    const { buffer, batches } = buffering();
    for (const n of [1, 2, 3]) buffer.push(result(n));
    await eventually(() => expect(batches).toEqual([[1, 2, 3]]));
  });

  it('go in batches of a bounded size', async () => {
    const { buffer, batches } = buffering();
    for (let n = 1; n <= 7; n++) buffer.push(result(n));
    await eventually(() => expect(batches).toEqual([[1, 2, 3], [4, 5, 6], [7]]));
  });

  it('wait for as long as writing takes, so that slow writes are few', async () => {
    jest.useFakeTimers();
    try {
      const { buffer, batches } = buffering({ writeMs: 5 });
      buffer.push(result(1));
      await jest.advanceTimersByTimeAsync(5 + 5);
      expect(batches).toEqual([[1]]);
      buffer.push(result(2));
      await jest.advanceTimersByTimeAsync(8);
      buffer.push(result(3));
      await jest.advanceTimersByTimeAsync(2 + 5);
      expect(batches).toEqual([[1], [2, 3]]);
    } finally {
      jest.useRealTimers();
    }
  });

  it('are kept and written again after a failure', async () => {
    const { buffer, batches, failures } = buffering({ failing: 1 });
    buffer.push(result(1));
    await eventually(() => expect(batches).toEqual([[1]]));
    expect(failures).toHaveLength(1);
  });

  it('stop the sending when too many wait', async () => {
    const { buffer } = buffering({ batchMax: 5_000 });
    for (let n = 1; n < 5_000; n++) buffer.push(result(n));
    expect(buffer.hasRoom()).toBe(true);
    buffer.push(result(5_000));
    expect(buffer.hasRoom()).toBe(false);
    await eventually(() => expect(buffer.hasRoom()).toBe(true));
  });
});

function buffering({ failing = 0, batchMax = 3, writeMs = 0 } = {}) {
  const batches: number[][] = [];
  const failures: unknown[] = [];
  let left = failing;
  const buffer = resultBuffer({
    async write() {
      if (left-- > 0) throw new Error('down');
      if (writeMs > 0) await new Promise((resolve) => setTimeout(resolve, writeMs));
    },
    written: (results) => void batches.push(results.map(({ job }) => job.attempt)),
    batchMax,
    monotonicMs: () => performance.now(),
    onError: (error) => void failures.push(error),
  });
  return { buffer, batches, failures };
}

const result = (attempt: number) => ({ job: { attempt } }) as unknown as Result;
