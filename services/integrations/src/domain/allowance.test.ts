import { describe, expect, it } from '@jest/globals';
import { allowance } from './allowance.js';

describe('an allowance', () => {
  it('grows by so many a second, and saves up for one second', () => {
    const { available, take } = allowance(50);
    expect(available(0)).toBe(1);
    expect(available(1_000)).toBe(50);
    expect(available(60_000)).toBe(50);
    take(50);
    expect(available(60_000)).toBe(0);
    expect(available(60_500)).toBe(25);
  });

  it('lets one go now and then when less than one a second is allowed', () => {
    const { available, take } = allowance(0.5);
    take(available(0));
    expect(available(1_000)).toBe(0);
    expect(available(2_000)).toBe(1);
  });

  it('is not spoiled by a clock that goes back', () => {
    const { available, take } = allowance(2);
    take(available(10_000));
    expect(available(0)).toBe(0);
    expect(available(1_000)).toBe(2);
  });
});
