import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { routine } from './routine.js';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

describe('a routine', () => {
  it('takes its next turn after a rest', async () => {
    const { turns, stop } = counted(100);
    await jest.advanceTimersByTimeAsync(250);
    expect(turns()).toBe(2);
    await stop();
  });

  it('takes it at once when it is woken', async () => {
    const { turns, wake, stop } = counted(60_000);
    wake();
    await jest.advanceTimersByTimeAsync(0);
    expect(turns()).toBe(1);
    await stop();
  });

  it('rests only for as long as the turn says', async () => {
    const { turns, stop } = counted(60_000, (turn) => (turn === 2 ? 100 : 120_000));
    await jest.advanceTimersByTimeAsync(120_000);
    expect(turns()).toBe(2);
    await jest.advanceTimersByTimeAsync(100);
    expect(turns()).toBe(3);
    await stop();
  });

  it('goes on after a turn that failed, and tells', async () => {
    const { turns, errors, stop } = counted(100, () => {
      throw new Error('once');
    });
    await jest.advanceTimersByTimeAsync(250);
    expect(turns()).toBe(2);
    expect(errors()).toBe(2);
    await stop();
  });

  it('takes another turn when it is woken in the middle of one', async () => {
    let open = () => {};
    const first = new Promise<void>((resolve) => {
      open = resolve;
    });
    const { turns, wake, stop } = counted(60_000, async (turn) => {
      if (turn === 1) await first;
    });
    wake();
    wake();
    open();
    await jest.advanceTimersByTimeAsync(0);
    expect(turns()).toBe(2);
    await stop();
  });

  it('takes none after it was stopped', async () => {
    const { turns, wake, stop } = counted(100);
    await stop();
    wake();
    await jest.advanceTimersByTimeAsync(1_000);
    expect(turns()).toBe(0);
  });
});

function counted(restMs: number, work: (turn: number) => Promise<void> | number | void = () => {}) {
  let turns = 0;
  let errors = 0;
  const turn = async () => {
    turns += 1;
    return (await work(turns)) ?? restMs;
  };
  const made = routine(restMs, turn, () => {
    errors += 1;
  });
  return { turns: () => turns, errors: () => errors, wake: made.wake, stop: made.stop };
}
