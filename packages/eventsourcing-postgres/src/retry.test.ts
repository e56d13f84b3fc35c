import { describe, expect, it } from '@jest/globals';
import { isConnectionLost, isRolledBack, retried } from './retry.js';

describe('work that may fail for a moment', () => {
  it('is done again until it succeeds', async () => {
    let times = 0;
    const work = async () => {
      if (++times < 3) throw failure('40P01');
      return times;
    };
    expect(await retried(work, isRolledBack)).toBe(3);
  });

  it('is given up after five times, with the last failure', async () => {
    let times = 0;
    const work = async () => {
      times++;
      throw failure('40001', `failed ${times} times`);
    };
    await expect(retried(work, isRolledBack)).rejects.toThrow('failed 5 times');
  });

  it('is not done again when it failed for good', async () => {
    let times = 0;
    const work = async () => {
      times++;
      throw failure('23505');
    };
    await expect(retried(work, isRolledBack)).rejects.toMatchObject({ code: '23505' });
    expect(times).toBe(1);
  });
});

describe('a lost connection', () => {
  it.each(['08006', '57P01', '57P02', '57P03', 'ECONNRESET', 'EPIPE'])('is told by %s', (code) => {
    expect(isConnectionLost(failure(code))).toBe(true);
    expect(isRolledBack(failure(code))).toBe(false);
  });

  it('is told by the words of pg, which gives it no code', () => {
    expect(isConnectionLost(new Error('Connection terminated unexpectedly'))).toBe(true);
  });

  it.each(['40P01', '23505', 'JN001', '57014'])('is not %s', (code) => {
    expect(isConnectionLost(failure(code))).toBe(false);
  });
});

const failure = (code: string, message = 'failed'): Error =>
  Object.assign(new Error(message), { code });
