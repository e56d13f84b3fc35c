import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { INGEST_RATE, IngestBuckets, TokenBucket } from './token-buckets.js';

const SECOND = 1_000;

describe('the bucket of a user', () => {
  it('lets a burst through, then so many a second', () => {
    const { admitted, pass } = filling();
    expect(admitted('a', 12_000)).toBe(10_000);
    pass(SECOND);
    expect(admitted('a', 200)).toBe(100);
    pass(0.5 * SECOND);
    expect(admitted('a', 200)).toBe(50);
  });

  it('is used by no other user', () => {
    const { admitted } = filling();
    admitted('a', 10_000);
    expect(admitted('b', 10_000)).toBe(10_000);
  });

  it('is full again after a while, and no fuller', () => {
    const { admitted, pass } = filling();
    admitted('a', 10_000);
    pass(1_000 * SECOND);
    expect(admitted('a', 12_000)).toBe(10_000);
  });

  it('is not kept while 100,000 others are not full, and then takes the place of a full one', () => {
    const { admitted, pass } = filling({ perSecond: 100, burst: 2 });
    admitted('a', 2);
    for (let n = 1; n < 100_000; n++) admitted(`u${n}`, 1);
    expect(admitted('b', 3)).toBe(3);
    expect(admitted('a', 1)).toBe(0);
    pass(10);
    expect(admitted('b', 3)).toBe(2);
    expect(admitted('a', 2)).toBe(1);
  });
});

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

function filling(rate = INGEST_RATE) {
  let nowMs = 0;
  const buckets = new IngestBuckets(rate);
  return {
    admitted: (userId: string, events: number) =>
      Array.from({ length: events }, () => buckets.admit(userId, nowMs)).filter(Boolean).length,
    pass: (ms: number) => void (nowMs += ms),
  };
}
