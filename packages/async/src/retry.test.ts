import { describe, expect, it } from '@jest/globals';
import { backoffMs } from './backoff.js';
import { type RetryOptions, retry } from './retry.js';

const atOnce: RetryOptions = { delayMs: () => 0 };

describe('work that is retried', () => {
  it('is done again until it succeeds, and reports each failure', async () => {
    const told: number[] = [];
    const options = { ...atOnce, onFailure: (_: unknown, failures: number) => told.push(failures) };
    expect(await retry(failing(2), options)).toBe('done in 3');
    expect(told).toEqual([1, 2]);
  });

  it('is given up after so many attempts, with the last error', async () => {
    const given = retry(failing(9), { ...atOnce, attemptsMax: 5 });
    await expect(given).rejects.toThrow('failed 5 times');
  });

  it('is not done again after an error that another attempt cannot mend', async () => {
    const given = retry(failing(9), { ...atOnce, isRetryable: () => false });
    await expect(given).rejects.toThrow('failed 1 times');
  });

  it('is given up when the next attempt would start too late', async () => {
    let nowMs = 0;
    const work = failing(9);
    const given = retry(
      async (attempt) => {
        nowMs += 40;
        return work(attempt);
      },
      { ...atOnce, withinMs: 100, clock: () => nowMs },
    );
    await expect(given).rejects.toThrow('failed 3 times');
  });

  it('ends its pause and rejects when it is called off', async () => {
    const off = new AbortController();
    const given = retry(failing(9), {
      signal: off.signal,
      delayMs: () => 60_000,
      onFailure: () => off.abort(new Error('stopping')),
    });
    await expect(given).rejects.toThrow('stopping');
  });
});

it('the backoff doubles from 0.1 s to 2 s, and lets chance take up to half', () => {
  const full = [1, 2, 3, 5, 6, 99].map((failures) => backoffMs(failures, () => 1));
  expect(full).toEqual([100, 200, 400, 1_600, 2_000, 2_000]);
  expect(backoffMs(1, () => 0)).toBe(50);
});

const failing = (times: number) => async (attempt: number) => {
  if (attempt <= times) throw new Error(`failed ${attempt} times`);
  return `done in ${attempt}`;
};
