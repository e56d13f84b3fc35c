import { describe, expect, it } from '@jest/globals';
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

function verifier(lifetimeMs = 600_000) {
  let nowMs = 0;
  const checks: string[] = [];
  const expiresAt = new Date(lifetimeMs);
  const verify = rememberTokens(
    async (jwt) => {
      checks.push(jwt);
      if (jwt === 'bad') throw new Error('refused');
      return { subject: jwt, scopes: [], expiresAt };
    },
    { nowMs: () => nowMs },
  );
  return {
    verify,
    checks: () => checks,
    passes: (ms: number) => {
      nowMs += ms;
    },
  };
}
