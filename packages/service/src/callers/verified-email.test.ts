import { describe, expect, it, jest } from '@jest/globals';
import type { Response } from 'express';
import { type Caller, setCaller } from '../http/caller.js';
import { verifiedEmail } from './verified-email.js';

describe('a request that wants a verified address', () => {
  it('is refused for a user whose token says that the address is not verified', () => {
    expect(outcomeOf({ isUnverified: true })).toMatchObject({ code: 'email_unverified' });
  });

  it('goes on for everybody else', () => {
    expect(outcomeOf({ isUnverified: false })).toBe('next');
    expect(outcomeOf({ issuerId: 'acme' })).toBe('next');
    expect(outcomeOf({ via: 'api_key' })).toBe('next');
  });
});

function outcomeOf(caller: Partial<Caller>): unknown {
  const res = {} as Response;
  setCaller(res, { kind: 'user', via: 'jwt', userId: 'user', scopes: [], ...caller });
  const next = jest.fn();
  try {
    verifiedEmail({}, res, next);
  } catch (error) {
    return error;
  }
  return next.mock.calls.length === 1 ? 'next' : undefined;
}
