import { describe, expect, it } from '@jest/globals';
import { normalTokenResponse } from './token-response.js';

const ANSWER = { access_token: 'at', token_type: 'Bearer', refresh_token: 'rt', expires_in: 60 };

const bodyOf = (odd: object) => normalTokenResponse({ ...ANSWER, ...odd }).body;

describe('the lifetime in a token answer', () => {
  it.each([
    undefined,
    null,
    0,
    -1,
    1e-9,
    0.9,
    '1e-9',
    '-60',
    'soon',
    '',
    ' ',
    Number.NaN,
    {},
    [],
    true,
  ])('%p counts as an hour', (odd) => {
    expect(bodyOf({ expires_in: odd })['expires_in']).toBe(3_600);
  });

  it('may be a number in a text', () => {
    expect(bodyOf({ expires_in: '120' })['expires_in']).toBe(120);
  });

  it.each([1e300, '1e300', Number.POSITIVE_INFINITY, 1_900_000_000])('of %p has an end', (odd) => {
    expect(bodyOf({ expires_in: odd })['expires_in']).toBe(366 * 86_400);
  });

  it.each([1, 1.5, 3_599])('of %p is taken as it is', (seconds) => {
    expect(bodyOf({ expires_in: seconds })['expires_in']).toBe(seconds);
  });
});

describe('the access token in a token answer', () => {
  it.each(['a\rb', 'a\nb', 'a\0b', 'é', '', 7])('%j is none', (odd) => {
    const { body, tokens } = normalTokenResponse({ ...ANSWER, access_token: odd });
    expect(body).not.toHaveProperty('access_token');
    expect(tokens).toEqual({ refreshToken: 'rt' });
  });
});

describe('the refresh token in a token answer', () => {
  it.each([undefined, null, '', 7, {}])('%p is none', (odd) => {
    const { body, tokens } = normalTokenResponse({ ...ANSWER, refresh_token: odd });
    expect(body).not.toHaveProperty('refresh_token');
    expect(tokens).toEqual({ accessToken: 'at' });
  });

  it('is saved also when there is nothing else in it', () => {
    expect(normalTokenResponse({ refresh_token: 'rt' }).tokens).toEqual({ refreshToken: 'rt' });
  });
});

describe('other odd fields of a token answer', () => {
  it('make a list of scopes a text, and leave out what is none', () => {
    expect(bodyOf({ scope: ['b', 'a'] })['scope']).toBe('b a');
    expect(bodyOf({ scope: 'b,a' })['scope']).toBe('b a');
    expect(bodyOf({ scope: [7] })).not.toHaveProperty('scope');
  });

  it.each(['', ' ', []])('leave the scope %j as what it is: nothing', (scope) => {
    expect(bodyOf({ scope })['scope']).toBe('');
  });

  it('do not need a token type, but keep the one there is', () => {
    expect(bodyOf({ token_type: undefined })['token_type']).toBe('bearer');
    expect(bodyOf({ token_type: 'mac' })['token_type']).toBe('mac');
  });

  it('leave out what nobody knows', () => {
    expect(bodyOf({ surprise: 'x' })).not.toHaveProperty('surprise');
  });
});
