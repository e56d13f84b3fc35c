import { describe, expect, it } from '@jest/globals';
import { codeLimit } from './code-limit.js';

describe('the codes that a user may send', () => {
  it.each([
    ['no code yet', { count: 0, oldestS: 0 }, { remaining: 19, resetS: 600, isReached: false }],
    ['19 codes', { count: 19, oldestS: 100 }, { remaining: 0, resetS: 500, isReached: false }],
    ['20 codes', { count: 20, oldestS: 590 }, { remaining: 0, resetS: 10, isReached: true }],
  ])('are twenty in ten minutes: after %s', (_, sent, state) => {
    expect(codeLimit(sent)).toEqual({ name: 'codes', limit: 20, windowS: 600, ...state });
  });
});
