import { describe, expect, it } from '@jest/globals';
import { restartDelayMs } from './restart-policy.js';

describe('a child that died', () => {
  it('is started again after half a second, and later each time it dies again', () => {
    expect(restartDelayMs([0])).toBe(500);
    expect(restartDelayMs([0, 1_000])).toBe(1_000);
    expect(restartDelayMs([0, 1_000, 3_000])).toBe(2_000);
    expect(restartDelayMs([0, 1_000, 3_000, 6_000])).toBe(4_000);
  });

  it('is given up at its fifth death within a minute', () => {
    expect(restartDelayMs([0, 1_000, 3_000, 6_000, 59_999])).toBeUndefined();
  });

  it('is forgiven what happened more than a minute ago', () => {
    expect(restartDelayMs([0, 1_000, 2_000, 3_000, 100_000])).toBe(500);
  });
});
