import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { repeat } from './repeat.js';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

describe('a background job', () => {
  it('runs again after its interval', async () => {
    const { runs, stop } = counted(100);
    await jest.advanceTimersByTimeAsync(250);
    expect(runs()).toBe(2);
    await stop();
  });

  it('runs at once when it is woken', async () => {
    const { runs, wake, stop } = counted(60_000);
    wake();
    await jest.advanceTimersByTimeAsync(0);
    expect(runs()).toBe(1);
    await stop();
  });

  it('runs again as soon as its last run requested', async () => {
    const { runs, stop } = counted(60_000, (run) => (run === 2 ? 100 : 120_000));
    await jest.advanceTimersByTimeAsync(120_000);
    expect(runs()).toBe(2);
    await jest.advanceTimersByTimeAsync(100);
    expect(runs()).toBe(3);
    await stop();
  });

  it('goes on after a run that failed, and reports the error', async () => {
    const { runs, errors, stop } = counted(100, () => {
      throw new Error('once');
    });
    await jest.advanceTimersByTimeAsync(250);
    expect(runs()).toBe(2);
    expect(errors()).toBe(2);
    await stop();
  });

  it('runs once more when it is woken in the middle of a run', async () => {
    let open = () => {};
    const first = new Promise<void>((resolve) => {
      open = resolve;
    });
    const { runs, wake, stop } = counted(60_000, async (run) => {
      if (run === 1) await first;
    });
    wake();
    wake();
    open();
    await jest.advanceTimersByTimeAsync(0);
    expect(runs()).toBe(2);
    await stop();
  });

  it('does not run after it was stopped', async () => {
    const { runs, wake, stop } = counted(100);
    await stop();
    wake();
    await jest.advanceTimersByTimeAsync(1_000);
    expect(runs()).toBe(0);
  });
});

function counted(everyMs: number, work: (run: number) => Promise<void> | number | void = () => {}) {
  let runs = 0;
  let errors = 0;
  const run = async () => {
    runs += 1;
    return (await work(runs)) ?? everyMs;
  };
  const made = repeat(everyMs, run, () => {
    errors += 1;
  });
  return { runs: () => runs, errors: () => errors, wake: made.wake, stop: made.stop };
}
