import { describe, expect, it, jest } from '@jest/globals';
import type { Response } from 'express';
import { type Caller, setCaller } from '../servers/http/caller.js';
import { recentFactor } from './recent-factor.js';

const MINUTE_MS = 60_000;
const ago = (minutes: number) => new Date(Date.now() - minutes * MINUTE_MS);

describe('a request that wants a recent second factor', () => {
  it('goes on for a user without one, for an API key, and for who has shown it lately', () => {
    for (const mfaAt of [undefined, ago(0), ago(14)]) expect(outcomeOf({ mfaAt })).toBe('next');
    expect(outcomeOf({ via: 'api_key' })).toBe('next');
  });

  it('is refused a quarter of an hour after the last time, and says how old it may be', () => {
    expect(outcomeOf({ mfaAt: ago(16) })).toMatchObject({
      kind: 'unauthenticated',
      code: 'insufficient_user_authentication',
      maxAgeS: 900,
    });
  });

  it('is refused where nobody was let in', () => {
    expect(outcomeOf(undefined)).toMatchObject({ code: 'unauthenticated' });
  });
});

function outcomeOf(caller: Partial<Caller> | undefined): unknown {
  const res = {} as Response;
  if (caller !== undefined) {
    setCaller(res, { kind: 'user', via: 'jwt', userId: 'user', scopes: [], ...caller });
  }
  const next = jest.fn();
  try {
    recentFactor({}, res, next);
  } catch (error) {
    return error;
  }
  return next.mock.calls.length === 1 ? 'next' : undefined;
}
