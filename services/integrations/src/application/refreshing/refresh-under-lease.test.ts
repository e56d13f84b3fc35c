import { describe, expect, it } from '@jest/globals';
import { mayRevoke } from './refresh-under-lease.js';

describe('tokens of a refresh that comes too late to be kept', () => {
  it.each([
    ['ended', false, true],
    ['replaced', true, false],
    ['reconnected', true, true],
    ['reconnected', false, false],
    ['saved', true, false],
    ['kept', true, false],
  ] as const)(
    '(%s, separate grants: %s) are revoked: %s, not where newer ones could go along',
    (outcome, separateGrants, expected) => {
      expect(mayRevoke(outcome, { separateGrants })).toBe(expected);
    },
  );
});
