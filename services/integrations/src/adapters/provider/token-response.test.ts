import { describe, expect, it } from '@jest/globals';
import { normalTokenResponse } from './token-response.js';

const ANSWER = { access_token: 'at', token_type: 'Bearer', refresh_token: 'rt', expires_in: 60 };

const NOW = '2030-01-02T03:04:05Z';
const NOW_S = Date.parse(NOW) / 1_000;
const YEAR_S = 366 * 86_400;

const bodyOf = (odd: object) => normalTokenResponse({ ...ANSWER, ...odd }, NOW_S * 1_000).body;

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

  it.each([
    ['a number in a text', '120', 120],
    ['one with blanks', ' 120 ', 120],
    ['a fraction', 1.5, 1.5],
    ['a second', 1, 1],
    ['an hour less a second', 3_599, 3_599],
    ['thirty days', 2_592_000, 2_592_000],
    ['sixty days less a second', 5_183_999, 5_183_999],
    ['sixty days', 5_184_000, 5_184_000],
    ['a year', 31_536_000, 31_536_000],
    ['ten years, of which one counts', 315_360_000, YEAR_S],
    ['five minutes in milliseconds', 300_000, 300],
    ['an hour in milliseconds', 3_600_000, 3_600],
    ['an hour less a second, in milliseconds', 3_599_000, 3_599],
    ['an hour in milliseconds, in a text', '3600000', 3_600],
    ['a day in milliseconds', 86_400_000, 86_400],
    ['a moment in seconds', NOW_S + 900, 900],
    ['a moment in milliseconds', (NOW_S + 900) * 1_000, 900],
    ['a moment in a text', String(NOW_S + 900), 900],
    ['a date', '2030-01-02T03:19:05Z', 900],
    ['a date of another zone', '2030-01-02T05:19:05.000+02:00', 900],
    ['a date as in HTTP', 'Wed, 02 Jan 2030 03:19:05 GMT', 900],
  ])('may be %s (%p)', (_, expires_in, seconds) => {
    expect(bodyOf({ expires_in })['expires_in']).toBe(seconds);
  });

  it.each([
    ['more than anybody would write', 1e300],
    ['the same in a text', '1e300'],
    ['no end', Number.POSITIVE_INFINITY],
    ['the largest number of some language', 2_147_483_647],
    ['nanoseconds', 3_600_000_000_000],
    ['a moment that has passed', NOW_S - 900],
    ['a date that has passed', '2030-01-02T03:04:04Z'],
    ['a date of no zone', '2030-01-02T03:19:05'],
  ])('is an hour when it says %s (%p)', (_, expires_in) => {
    expect(bodyOf({ expires_in })['expires_in']).toBe(3_600);
  });

  it.each([
    ['expires_in_sec', 900],
    ['expires_at', NOW_S + 900],
    ['expires_at', '2030-01-02T03:19:05Z'],
    ['expires_on', String(NOW_S + 900)],
    ['expires', '900'],
    ['.expires', 'Wed, 02 Jan 2030 03:19:05 GMT'],
  ])('may stand in another field: %s', (field, value) => {
    expect(bodyOf({ expires_in: undefined, [field]: value })['expires_in']).toBe(900);
    expect(bodyOf({ expires_in: 60, [field]: value })['expires_in']).toBe(60);
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
  it.each([
    ['blanks', 'b a'],
    ['commas', 'b,a'],
    ['plus signs', 'b+a'],
    ['semicolons', 'b;a'],
    ['blanks that were escaped', 'b%20a'],
    ['a list', ['b', 'a']],
    ['a list with what is no scope', ['b', null, 7, 'a']],
    ['a list of lists in texts', ['b,a']],
    ['the text of a list', '["b","a"]'],
  ])('make scopes with %s one text', (_, scope) => {
    expect(bodyOf({ scope })['scope']).toBe('b a');
    expect(bodyOf({ scopes: scope })['scope']).toBe('b a');
  });

  it('leave signs in the names of scopes where blanks stand between them', () => {
    expect(bodyOf({ scope: 'b+c a;d' })['scope']).toBe('b+c a;d');
    expect(bodyOf({ scope: '[b] a' })['scope']).toBe('[b] a');
  });

  it.each([7, [7], {}, null, true])('leave out what is no scope: %j', (scope) => {
    expect(bodyOf({ scope })).not.toHaveProperty('scope');
  });

  it.each(['', ' ', []])('leave the scope %j as what it is: nothing', (scope) => {
    expect(bodyOf({ scope })['scope']).toBe('');
  });

  it('do not need a token type, but keep the one there is', () => {
    for (const token_type of [undefined, null, '', 7]) {
      expect(bodyOf({ token_type })['token_type']).toBe('bearer');
    }
    for (const token_type of ['mac', 'DPoP', 'N_A', 'pop']) {
      expect(bodyOf({ token_type })['token_type']).toBe(token_type);
    }
  });

  it.each(['bearer', 'BEARER', 'BearerToken', 'bearer_token', 'Bearer Token', ' Bearer '])(
    'take %j for Bearer',
    (token_type) => {
      expect(bodyOf({ token_type })['token_type']).toBe('bearer');
    },
  );

  it('leave out what nobody knows', () => {
    expect(bodyOf({ surprise: 'x' })).not.toHaveProperty('surprise');
  });
});
