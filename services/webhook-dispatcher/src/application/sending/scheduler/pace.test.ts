import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import {
  type Ended,
  FAILING_PACE,
  LATE_MAX,
  LIMIT_MAX,
  lineOf,
  NEW_PACE,
  neededMs,
  type Pace,
  paced,
  pacedLate,
  RESPONSIVE_MAX_MS,
} from './pace.js';

const QUICK_MS = 10;
const late = { totalMs: RESPONSIVE_MAX_MS + 1 };
/** Returns the pace after attempts that ended so while the webhook had as many under way as it may. */
const after = (pace: Pace, times: number, ended: Partial<Ended> = {}): Pace => {
  let current = pace;
  for (let n = 0; n < times; n++) {
    const underWay = Math.floor(current.limit);
    current = paced(current, {
      isWell: true,
      totalMs: QUICK_MS,
      underWay,
      wasLate: false,
      ...ended,
    });
  }
  return current;
};

describe('the turns of a webhook', () => {
  it('are those of responsive ones after a quick answer, of slow ones after late ones, of failing ones after none', () => {
    expect(lineOf(NEW_PACE)).toBe('new');
    expect(lineOf(FAILING_PACE)).toBe('failing');
    expect(lineOf(after(NEW_PACE, 1))).toBe('responsive');
    expect(lineOf(after(FAILING_PACE, 1, { isWell: false }))).toBe('responsive');
    expect(lineOf(after(NEW_PACE, 1, { totalMs: RESPONSIVE_MAX_MS }))).toBe('responsive');
    expect(lineOf(after(NEW_PACE, 1, late))).toBe('slow');
    expect(lineOf(after(NEW_PACE, 1, { ...late, isWell: false }))).toBe('failing');
    expect(lineOf(after(after(NEW_PACE, 1), LATE_MAX, { ...late, isWell: false }))).toBe('failing');
    expect(lineOf(pacedLate(NEW_PACE))).toBe('failing');
  });

  it('stay those of responsive ones while one answer in a hundred is late', () => {
    const round = (pace: Pace) => after(after(pace, 1, late), 99);
    expect(lineOf(round(round(round(round(after(NEW_PACE, 1))))))).toBe('responsive');
    expect(lineOf(after(after(NEW_PACE, 1), LATE_MAX - 1, late))).toBe('responsive');
  });

  it('are those of slow ones with the next late answer after a prompt one', () => {
    const slow = after(after(NEW_PACE, 1), LATE_MAX, late);
    expect(lineOf(after(after(slow, 1), 1, late))).toBe('slow');
    const eased = after(slow, 2);
    expect([1, 2].map((times) => lineOf(after(eased, times, late)))).toEqual([
      'responsive',
      'slow',
    ]);
  });

  it('count an attempt as late once, whether it is under way or ends', () => {
    const once = pacedLate(after(NEW_PACE, 1));
    expect(after(once, 1, { ...late, wasLate: true }).late).toBe(once.late);
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

  it('falls by a tenth when answers take much longer on average than they can', () => {
    const well = after(NEW_PACE, 100);
    expect(after(well, 1, { totalMs: 100 }).limit).toBe(LIMIT_MAX);
    expect(after(well, 20, { totalMs: 39 }).limit).toBe(LIMIT_MAX);
    const strained = after(well, 1, { totalMs: 260 });
    expect(strained.limit).toBeCloseTo(LIMIT_MAX * 0.9);
    const eased = after({ ...strained, meanMs: QUICK_MS }, 1);
    expect(eased.limit).toBeCloseTo(strained.limit + 1 / strained.limit);
  });

  it('stays while fewer attempts are under way than may be', () => {
    expect(after(NEW_PACE, 100, { underWay: 3 }).limit).toBe(NEW_PACE.limit);
  });

  it('is not lowered by answers that take now half and now twice as long', () => {
    let pace = NEW_PACE;
    for (let n = 0; n < 500; n++) pace = after(pace, 1, { totalMs: n % 2 === 0 ? 100 : 400 });
    expect(pace.limit).toBe(LIMIT_MAX);
  });

  it('takes a receiver that has become slower for good as it is', () => {
    const strained = after(after(NEW_PACE, 10), 200, { totalMs: 100 });
    expect(after(strained, 1_000, { totalMs: 100 }).limit).toBe(LIMIT_MAX);
  });

  it('counts an answer as long as its receiver needs for it, or an eighth of a second while that is not known', () => {
    expect([10, 400].map((ms) => neededMs(NEW_PACE, ms))).toEqual([10, 125]);
    expect([10, 400].map((ms) => neededMs(after(NEW_PACE, 1), ms))).toEqual([10, 40]);
  });

  it('stays between 1 and 32, whatever comes', () => {
    const ended = fc.record({
      isWell: fc.boolean(),
      totalMs: fc.double({ min: 0, max: 20_000, noNaN: true }),
      underWay: fc.integer({ min: 1, max: LIMIT_MAX }),
      wasLate: fc.boolean(),
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
