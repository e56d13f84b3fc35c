import { describe, expect, it } from '@jest/globals';
import { ProviderError } from '../provider-error.js';
import { givenUpAs, isNews } from './revoke.js';

const DAY_MS = 86_400_000;

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

describe('a revocation that the provider fails', () => {
  const failing = (reason: string) =>
    new ProviderError({ failure: 'unavailable', reason, sent: true });

  it.each([
    ['http_503', 90 * DAY_MS, undefined],
    ['http_503', 90 * DAY_MS + 1, 'failed'],
    ['no_revocation_endpoint', DAY_MS, undefined],
    ['no_revocation_endpoint', DAY_MS + 1, 'unsupported'],
  ])('(%s, for %i ms) has the outcome %s', (reason, triedForMs, outcome) => {
    expect(givenUpAs(failing(reason), triedForMs)).toBe(outcome);
  });

  it('by a fault of our own is tried for ninety days, too', () => {
    expect(givenUpAs(new TypeError(), 90 * DAY_MS)).toBeUndefined();
    expect(givenUpAs(new TypeError(), 90 * DAY_MS + 1)).toBe('failed');
  });
});
