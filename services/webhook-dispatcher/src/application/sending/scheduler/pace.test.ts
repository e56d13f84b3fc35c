import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import {
  type Ended,
  FAILING_PACE,
  LIMIT_MAX,
  lineOf,
  NEW_PACE,
  type Pace,
  paced,
  RESPONSIVE_MAX_MS,
} from './pace.js';

const QUICK_MS = 10;
/** Returns the pace after attempts that ended so while the webhook had as many under way as it may. */
const after = (pace: Pace, times: number, ended: Partial<Ended> = {}): Pace => {
  let current = pace;
  for (let n = 0; n < times; n++) {
    const underWay = Math.floor(current.limit);
    current = paced(current, { isWell: true, totalMs: QUICK_MS, underWay, ...ended });
  }
  return current;
};

describe('the turns of a webhook', () => {
  it('are those of responsive ones after a quick answer, of slow ones after a late one, of failing ones after none', () => {
    const late = { totalMs: RESPONSIVE_MAX_MS + 1 };
    expect(lineOf(NEW_PACE)).toBe('new');
    expect(lineOf(FAILING_PACE)).toBe('failing');
    expect(lineOf(after(NEW_PACE, 1))).toBe('responsive');
    expect(lineOf(after(FAILING_PACE, 1, { isWell: false }))).toBe('responsive');
    expect(lineOf(after(NEW_PACE, 1, { totalMs: RESPONSIVE_MAX_MS }))).toBe('responsive');
    expect(lineOf(after(NEW_PACE, 1, late))).toBe('slow');
    expect(lineOf(after(NEW_PACE, 1, { ...late, isWell: false }))).toBe('failing');
    expect(lineOf(after(after(NEW_PACE, 1), 1, { ...late, isWell: false }))).toBe('failing');
    // Pace of a webhook whose first attempt has been under way for long.
    expect(lineOf({ ...NEW_PACE, kind: 'slow' })).toBe('failing');
  });
});

describe('the pace of a webhook', () => {
  it('begins with a few at once, and doubles with each round of quick answers', () => {
    expect(NEW_PACE.limit).toBe(4);
    expect(after(NEW_PACE, 4).limit).toBe(8);
    expect(after(NEW_PACE, 12).limit).toBe(16);
    expect(after(NEW_PACE, 1_000).limit).toBe(LIMIT_MAX);
  });

  it('is halved by a failure, and rises by one in a round after it', () => {
    const failed = after(after(NEW_PACE, 12), 1, { isWell: false });
    expect(failed.limit).toBe(8);
    const later = after(failed, 8);
    expect(later.limit).toBeGreaterThan(8.8);
    expect(later.limit).toBeLessThan(9.1);
  });

  it('falls by a tenth when answers take much longer than they can, and rises by one in a round after it', () => {
    const well = after(NEW_PACE, 100);
    expect(after(well, 1, { totalMs: 39 }).limit).toBe(LIMIT_MAX);
    const strained = after(well, 1, { totalMs: 41 });
    expect(strained.limit).toBeCloseTo(LIMIT_MAX * 0.9);
    expect(after(strained, 1).limit).toBeCloseTo(strained.limit + 1 / strained.limit);
  });

  it('stays while fewer attempts are under way than may be', () => {
    expect(after(NEW_PACE, 100, { underWay: 3 }).limit).toBe(NEW_PACE.limit);
  });

  it('takes a receiver that has become slower for good as it is', () => {
    const strained = after(after(NEW_PACE, 10), 200, { totalMs: 100 });
    expect(after(strained, 1_000, { totalMs: 100 }).limit).toBe(LIMIT_MAX);
  });

  it('stays between 1 and 32, whatever comes', () => {
    const ended = fc.record({
      isWell: fc.boolean(),
      totalMs: fc.double({ min: 0, max: 20_000, noNaN: true }),
      underWay: fc.integer({ min: 1, max: LIMIT_MAX }),
    });
    fc.assert(
      fc.property(fc.array(ended), (all) => {
        const { limit } = all.reduce(paced, NEW_PACE);
        expect(limit).toBeGreaterThanOrEqual(1);
        expect(limit).toBeLessThanOrEqual(LIMIT_MAX);
      }),
    );
  });
});
