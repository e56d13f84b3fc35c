import { describe, expect, it } from '@jest/globals';
import { markOf, responseOf } from './marks.js';

const succeeded = (totalMs: number) =>
  markOf({ outcome: { kind: 'succeeded' }, httpStatus: 200, totalMs });

describe('the mark of an attempt', () => {
  it.each([
    [0, '1'],
    [10, '1'],
    [11, '2'],
    [300, '4'],
    [10_000, '7'],
    [60_000, '8'],
  ])('that succeeded within %d ms is %s', (totalMs, mark) => {
    expect(succeeded(totalMs)).toBe(mark);
  });

  it('tells a failure that was answered from one that was not', () => {
    const outcome = { kind: 'failed', reason: 'any', retryAfterMs: 0 } as const;
    expect(markOf({ outcome, httpStatus: 500, totalMs: 5 })).toBe('x');
    expect(markOf({ outcome, httpStatus: null, totalMs: 5 })).toBe('!');
  });
});

it.each([
  [200, '2xx'],
  [302, '3xx'],
  [410, '4xx'],
  [599, '5xx'],
  [null, 'none'],
  [100, 'none'],
] as const)('a response with status %s is counted as %s', (status, response) => {
  expect(responseOf(status)).toBe(response);
});
