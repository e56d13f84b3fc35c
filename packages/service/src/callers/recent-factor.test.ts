import { describe, expect, it } from '@jest/globals';
import { outcomeOf } from '../../test/outcome-of.js';
import type { Caller } from '../http/caller.js';
import { recentFactor, recentSignIn } from './recent-factor.js';

const MINUTE_MS = 60_000;
const ago = (minutes: number) => new Date(Date.now() - minutes * MINUTE_MS);

describe('a request that wants a recent second factor', () => {
  it('goes on for a user without one, for an API key, and for who has shown it lately', () => {
    for (const mfaAt of [undefined, ago(0), ago(14)])
      expect(outcomeOf(recentFactor, { mfaAt })).toBe('next');
    expect(outcomeOf(recentFactor, { via: 'api_key' })).toBe('next');
  });

  it('is refused a quarter of an hour after the last time, and says how old it may be', () => {
    expect(outcomeOf(recentFactor, { mfaAt: ago(16) })).toMatchObject({
      kind: 'unauthenticated',
      code: 'insufficient_user_authentication',
      maxAgeS: 900,
    });
  });

  it('is refused where nobody was let in', () => {
    expect(outcomeOf(recentFactor, undefined)).toMatchObject({ code: 'unauthenticated' });
  });
});

describe('a request that wants a recent sign-in', () => {
  const signedIn = (caller: Partial<Caller>) =>
    outcomeOf(recentSignIn, { via: 'jwt', sessionId: 'ses_1', ...caller });

  it('goes on for ten minutes after the user of a session has signed in', () => {
    expect(signedIn({ authenticatedAt: ago(9) })).toBe('next');
    for (const authenticatedAt of [ago(11), undefined]) {
      expect(signedIn({ authenticatedAt })).toMatchObject({
        code: 'insufficient_user_authentication',
        maxAgeS: 600,
      });
    }
  });

  it('wants the second factor of a user who has one, however old the session is', () => {
    expect(signedIn({ authenticatedAt: ago(60), mfaAt: ago(14) })).toBe('next');
    expect(signedIn({ authenticatedAt: ago(1), mfaAt: ago(16) })).toMatchObject({ maxAgeS: 900 });
  });

  it('goes on for an API key, for which nothing can be shown', () => {
    expect(outcomeOf(recentSignIn, { via: 'api_key' })).toBe('next');
  });

  it('wants a sign-in of the last ten minutes of who comes with the token of a trusted issuer', () => {
    const foreign = (authenticatedAt: Date | undefined) =>
      outcomeOf(recentSignIn, { via: 'jwt', issuerId: 'acme', authenticatedAt });
    expect(foreign(ago(9))).toBe('next');
    for (const authenticatedAt of [ago(11), ago(-11), undefined]) {
      expect(foreign(authenticatedAt)).toMatchObject({
        code: 'insufficient_user_authentication',
        maxAgeS: 600,
      });
    }
  });
});
