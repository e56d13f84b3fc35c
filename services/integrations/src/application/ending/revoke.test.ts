import { describe, expect, it } from '@jest/globals';
import { isNews } from './revoke.js';

describe('the outcome of revoking one of several tokens', () => {
  it('replaces a better one, and no worse one', () => {
    expect(isNews('unsupported', 'pending', true)).toBe(true);
    expect(isNews('failed', 'unsupported', true)).toBe(true);
    expect(isNews('unsupported', 'failed', false)).toBe(false);
    expect(isNews('done', 'failed', false)).toBe(false);
    expect(isNews('failed', 'failed', false)).toBe(false);
  });

  it('is `done` only with the last of them', () => {
    expect(isNews('done', 'pending', true)).toBe(false);
    expect(isNews('done', 'pending', false)).toBe(true);
  });
});
