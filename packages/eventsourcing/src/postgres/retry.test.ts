import { describe, expect, it } from '@jest/globals';
import { isConnectionLost, isRolledBack } from './retry.js';

describe('a lost connection', () => {
  it.each(['08006', '57P01', '57P02', '57P03', 'ECONNRESET', 'EPIPE'])('is known by %s', (code) => {
    expect(isConnectionLost(failure(code))).toBe(true);
    expect(isRolledBack(failure(code))).toBe(false);
  });

  it('is known by the words of pg, which gives it no code', () => {
    expect(isConnectionLost(new Error('Connection terminated unexpectedly'))).toBe(true);
  });

  it.each(['40P01', '23505', 'JN001', '57014'])('is not %s', (code) => {
    expect(isConnectionLost(failure(code))).toBe(false);
  });
});

const failure = (code: string, message = 'failed'): Error =>
  Object.assign(new Error(message), { code });
