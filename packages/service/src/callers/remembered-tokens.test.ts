import { describe, expect, it } from '@jest/globals';
import { AppError } from '@junction/errors';
import { rememberTokens } from './remembered-tokens.js';

describe('a token that comes again', () => {
  it('is checked once in a minute', async () => {
    const { verify, checks, passes } = verifier();
    for (let time = 1; time <= 3; time++) expect(await verify('a')).toMatchObject({ subject: 'a' });
    expect(checks()).toEqual(['a']);
    passes(60_000);
    await verify('a');
    expect(checks()).toEqual(['a', 'a']);
  });

  it('is checked again from its end on', async () => {
    const { verify, checks, passes } = verifier(10_000);
    await verify('a');
    passes(9_999);
    await verify('a');
    expect(checks()).toEqual(['a']);
    passes(1);
    await verify('a');
    expect(checks()).toEqual(['a', 'a']);
  });

  it('is checked each time when it was refused', async () => {
    const { verify, checks } = verifier();
    await expect(verify('bad')).rejects.toThrow('refused');
    await expect(verify('bad')).rejects.toThrow('refused');
    expect(checks()).toEqual(['bad', 'bad']);
  });

  it('counts on while nobody answers the check, if it was used in the last minute, for an hour', async () => {
    const { verify, checks, passes, away } = verifier(7_200_000, 3_600_000);
    await verify('a');
    away(true);
    for (let second = 0; second < 3_600; second += 30) {
      expect(await verify('a')).toMatchObject({ subject: 'a' });
      passes(30_000);
    }
    await expect(verify('a')).rejects.toThrow('auth is away');
    away(false);
    await verify('a');
    away(true);
    passes(60_000);
    await expect(verify('a')).rejects.toThrow('auth is away');
    expect(checks().length).toBeLessThan(130);
  });

  it('asks once in five seconds while nobody answers, so that no other request waits', async () => {
    const { verify, checks, passes, away } = verifier(7_200_000, 3_600_000);
    await verify('a');
    passes(59_000);
    await verify('a');
    away(true);
    for (let second = 0; second < 11; second += 1) {
      passes(1_000);
      await verify('a');
    }
    expect(checks()).toHaveLength(1 + 3);
  });

  it('is not taken for another, and many of them take no more room', async () => {
    const { verify, checks } = verifier();
    const last = 10_000;
    for (let n = 0; n <= last; n++) expect(await verify(`${n}`)).toMatchObject({ subject: `${n}` });
    expect(checks()).toHaveLength(last + 1);
    await verify(`${last}`);
    expect(checks()).toHaveLength(last + 1);
    await verify('0');
    expect(checks()).toHaveLength(last + 2);
  });
});

function verifier(lifetimeMs = 600_000, awayMs = 0) {
  let [nowMs, isAway] = [0, false];
  const checks: string[] = [];
  const expiresAt = new Date(lifetimeMs);
  const verify = rememberTokens(
    async (jwt) => {
      checks.push(jwt);
      if (isAway) throw new AppError({ kind: 'unavailable', code: 'auth' }, 'auth is away');
      if (jwt === 'bad') throw new Error('refused');
      return { subject: jwt, scopes: [], expiresAt };
    },
    { nowMs: () => nowMs, awayMs },
  );
  return {
    verify,
    checks: () => checks,
    away: (is: boolean) => {
      isAway = is;
    },
    passes: (ms: number) => {
      nowMs += ms;
    },
  };
}
