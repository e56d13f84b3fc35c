import { describe, expect, it } from '@jest/globals';
import { ProblemError, UnavailableError } from '../api/problem.js';
import { providerRefusal, readReturn, refusalOf, withAnswer } from './callback.js';

describe('the address of the callback page', () => {
  it.each([
    [
      '/connect/acme/mailbox/callback?code=c&state=s&iss=https%3A%2F%2Fidp.example',
      { kind: 'code', code: 'c', state: 's', iss: 'https://idp.example' },
    ],
    ['/connect/acme/mailbox/callback?code=c', { kind: 'code', code: 'c' }],
    [
      '/connect/acme/mailbox/callback?error=access_denied&error_description=No%20%3Cb%3E&state=s',
      { kind: 'error', error: 'access_denied', description: 'No <b>', state: 's' },
    ],
    ['/connect/acme/mailbox/callback?error=x&code=c', { kind: 'error', error: 'x' }],
  ])('%s holds an answer', (address, answer) => {
    expect(readReturn(at(address))).toEqual({
      client: { identityProvider: 'acme', provider: 'mailbox' },
      answer,
    });
  });

  it.each([
    '/connect/acme/mailbox/callback',
    '/connect/acme/mailbox/callback?state=s',
    '/connect/acme/mailbox/callback?code=',
    '/connect/acme/fax/callback?code=c',
    '/connect/Acme/mailbox/callback?code=c',
    '/connect/mailbox/callback?code=c',
    '/integrations?code=c',
  ])('%s holds none', (address) => {
    expect(readReturn(at(address))).toBeUndefined();
  });
});

describe('an answer that is forwarded', () => {
  const code = { kind: 'code', code: 'c&d', state: 's', iss: 'https://idp.example' } as const;
  const added = 'code=c%26d&state=s&iss=https%3A%2F%2Fidp.example';

  it.each([
    ['https://app.example/cb', `https://app.example/cb?${added}`],
    ['https://app.example', `https://app.example/?${added}`],
    ['https://app.example/cb?to=a%20b', `https://app.example/cb?to=a%20b&${added}`],
  ])('goes to %s', (returnTo, url) => {
    expect(withAnswer(returnTo, code).href).toBe(url);
  });

  it('may be a refusal, and brings nothing but the answer', () => {
    const refusal = {
      kind: 'error',
      error: 'access_denied',
      description: 'No',
      state: 's',
    } as const;
    const { searchParams } = withAnswer('https://app.example/cb', refusal);
    expect(Object.fromEntries(searchParams)).toEqual({
      error: 'access_denied',
      error_description: 'No',
      state: 's',
    });
  });
});

describe('a code that was refused', () => {
  it.each([
    ['invalid_state', 'once, for ten minutes'],
    ['invalid_auth_code', 'expired, or was already used'],
    ['invalid_issuer', 'a different provider'],
    ['unknown_provider', 'has no provider for a mailbox'],
    ['unknown_identity_provider', 'does not use this provider for a mailbox'],
  ])('%s is explained', (code, words) => {
    const problem = { status: 400, code, detail: 'Told in the words of the service.' };
    expect(refusalOf(new ProblemError(problem), 'mailbox')).toContain(words);
  });

  it('says what the service knows about an outage of the provider', () => {
    const error = new UnavailableError('The provider did not answer (timeout). Try again.');
    expect(refusalOf(error, 'mailbox')).toContain('(timeout)');
  });

  it('is left to the usual words when nobody knows more', () => {
    expect(refusalOf('?', 'mailbox')).toBeUndefined();
  });
});

describe("the provider's own refusal", () => {
  it.each([
    ['access_denied', 'You declined'],
    ['temporarily_unavailable', 'in a few minutes'],
    ['server_error', 'in a few minutes'],
    ['invalid_scope', 'the operator of this installation'],
  ])('%s is explained', (error, words) => {
    expect(providerRefusal(error)).toContain(words);
  });
});

const at = (address: string) => new URL(address, 'http://localhost');
