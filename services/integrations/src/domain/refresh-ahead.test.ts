import { describe, expect, it } from '@jest/globals';
import { refreshAheadAt, refreshAt } from './refresh-ahead.js';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const ISSUED = new Date('2026-01-01T00:00:00Z');

describe('the refresh ahead of expiry', () => {
  it.each([
    ['a short life', 60 * SECOND_MS, 15 * SECOND_MS],
    ['an hour', HOUR_MS, 15 * MINUTE_MS],
    ['a day', 24 * HOUR_MS, 15 * MINUTE_MS],
  ])(
    'begins a margin before the end of %s, and no later than half of it',
    (_, lifeMs, marginMs) => {
      expect(leftMs(lifeMs, 0)).toBe(marginMs);
      expect(leftMs(lifeMs, 1)).toBe(marginMs / 2);
    },
  );

  it('is due at once for a token that came expired', () => {
    expect(leftMs(0, 0.5)).toBe(0);
    expect(leftMs(-HOUR_MS, 0.5)).toBe(0);
  });

  it('waits for the end of an access token that came without a refresh token', () => {
    const expiresAt = new Date(ISSUED.getTime() + HOUR_MS);
    expect(refreshAt(ISSUED, { refreshToken: undefined, expiresAt }, 0)).toEqual(expiresAt);
    const early = refreshAt(ISSUED, { refreshToken: 'rt', expiresAt }, 0);
    expect(early).toEqual(refreshAheadAt(ISSUED, expiresAt, 0));
  });

  it('is spread over minutes for ten thousand tokens that expire in one second', () => {
    const inSecond = new Map<number, number>();
    for (let n = 0; n < 10_000; n++) {
      const second = Math.floor(leftMs(HOUR_MS, n / 10_000) / SECOND_MS);
      inSecond.set(second, (inSecond.get(second) ?? 0) + 1);
    }
    expect(Math.max(...inSecond.values())).toBeLessThanOrEqual(25);
  });
});

/** Returns the milliseconds that a token of this lifetime has left when its refresh is due. */
function leftMs(lifetimeMs: number, chance: number): number {
  const expiresAt = new Date(ISSUED.getTime() + lifetimeMs);
  return expiresAt.getTime() - refreshAheadAt(ISSUED, expiresAt, chance).getTime();
}
