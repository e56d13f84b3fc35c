import { beforeEach, describe, expect, it } from '@jest/globals';
import { BUDGET_WINDOWS, byteBudget, type Uses } from './byte-budget.js';

const [MINUTE, DAY] = BUDGET_WINDOWS;
const KIB = 1_024;

const counted = (resetMs: number): Uses => {
  const used = new Map<string, number>();
  return {
    count(key, uses) {
      used.set(key, (used.get(key) ?? 0) + uses);
      return { used: used.get(key) ?? 0, resetMs };
    },
  };
};

let budget = byteBudget([]);
beforeEach(() => void (budget = byteBudget([counted(30_000), counted(3_600_000)])));

const refusal = (bytes: number): unknown => {
  try {
    budget.spend('ada', bytes);
    return undefined;
  } catch (error) {
    return error;
  }
};

describe('the bytes that a user may have sent', () => {
  it('are spent by the request, a KiB at least, and told in bytes', () => {
    budget.spend('ada', 187 * KIB);
    budget.spend('ada', 1);
    expect(budget.stateOf('ada')).toEqual([
      { ...MINUTE, remaining: MINUTE.limit - 188 * KIB, resetS: 30 },
      { ...DAY, remaining: DAY.limit - 188 * KIB, resetS: 3_600 },
    ]);
    expect(budget.stateOf('bob')).toMatchObject([{ remaining: MINUTE.limit }, {}]);
  });

  it('end for a minute, and then for a day; what is refused costs nothing', () => {
    budget.add('ada', MINUTE.limit - 2 * KIB);
    expect(refusal(3 * KIB)).toMatchObject({ code: 'bytes_spent', retryAfterS: 30 });
    expect(refusal(2 * KIB)).toBeUndefined();
    budget.add('ada', DAY.limit);
    expect(refusal(1)).toMatchObject({ kind: 'rate_limited', retryAfterS: 3_600 });
    budget.spend('bob', 1);
  });

  it('are not all for replays, which end where the window has least', () => {
    expect(budget.leftForReplays('ada')).toEqual({ bytes: (MINUTE.limit * 3) / 4, resetS: 30 });
    budget.add('ada', (DAY.limit * 3) / 4);
    expect(budget.leftForReplays('ada')).toEqual({ bytes: -(MINUTE.limit / 4), resetS: 30 });
  });
});
