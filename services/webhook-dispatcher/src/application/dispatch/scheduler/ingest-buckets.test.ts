import { describe, expect, it } from '@jest/globals';
import { INGEST_RATE, IngestBuckets } from './ingest-buckets.js';

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
});

function filling() {
  let nowMs = 0;
  const buckets = new IngestBuckets(INGEST_RATE);
  return {
    admitted: (userId: string, events: number) =>
      Array.from({ length: events }, () => buckets.admit(userId, nowMs)).filter(Boolean).length,
    pass: (ms: number) => void (nowMs += ms),
  };
}
