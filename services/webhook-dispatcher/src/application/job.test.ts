import { expect, it } from '@jest/globals';
import { isFailing } from './job.js';

it.each([
  [404, false],
  [408, true],
  [425, true],
  [429, true],
  [500, true],
  [307, true],
  [null, true],
])('an attempt that failed with %j shows a receiver that is not well: %j', (httpStatus, isBad) => {
  const outcome = { kind: 'failed', reason: 'x', retryAfterMs: 0 } as const;
  expect(isFailing({ outcome, httpStatus })).toBe(isBad);
});

it('only a failed or refused attempt shows a receiver that is not well', () => {
  expect(isFailing({ outcome: { kind: 'succeeded' }, httpStatus: 200 })).toBe(false);
  expect(isFailing({ outcome: { kind: 'gone' }, httpStatus: 410 })).toBe(false);
  expect(isFailing({ outcome: { kind: 'refused', reason: 'x' }, httpStatus: null })).toBe(true);
});
