import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { TokenBucket } from './token-bucket.js';

describe('a token bucket', () => {
  it('lets one go at once, and the next when its time has come', () => {
    const bucket = new TokenBucket(2, 0);
    expect(bucket.waitMs(0)).toBe(0);
    bucket.take(0);
    expect(bucket.waitMs(0)).toBe(500);
    expect(bucket.waitMs(400)).toBeCloseTo(100);
    expect(bucket.waitMs(500)).toBe(0);
  });

  it('saves up no more than a tenth of a second', () => {
    const bucket = new TokenBucket(100, 0);
    let taken = 0;
    while (bucket.waitMs(60_000) === 0) {
      bucket.take(60_000);
      taken++;
    }
    expect(taken).toBe(10);
  });

  it('never lets more go in a second than its rate and what it may have saved up', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000 }), fc.array(fc.nat(50)), (perS, steps) => {
        const bucket = new TokenBucket(perS, 0);
        const taken: number[] = [];
        let nowMs = 0;
        for (const step of steps) {
          nowMs += step;
          while (bucket.waitMs(nowMs) === 0) {
            bucket.take(nowMs);
            taken.push(nowMs);
          }
        }
        const within = taken.filter((one) => one > nowMs - 1_000).length;
        expect(within).toBeLessThanOrEqual(perS + Math.max(1, perS / 10));
      }),
    );
  });
});
