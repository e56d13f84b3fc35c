import { describe, expect, it } from '@jest/globals';
import { outcomeOf } from '../../test/outcome-of.js';
import { verifiedEmail } from './verified-email.js';

describe('a request that wants a verified address', () => {
  it('is refused for a user whose token says that the address is not verified', () => {
    expect(outcomeOf(verifiedEmail, { isUnverified: true })).toMatchObject({
      code: 'email_unverified',
    });
  });

  it('goes on for everybody else', () => {
    expect(outcomeOf(verifiedEmail, { isUnverified: false })).toBe('next');
    expect(outcomeOf(verifiedEmail, { issuerId: 'acme' })).toBe('next');
    expect(outcomeOf(verifiedEmail, { via: 'api_key' })).toBe('next');
  });
});
