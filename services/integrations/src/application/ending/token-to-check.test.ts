import { describe, expect, it } from '@jest/globals';
import { tokenToCheck } from './token-to-check.js';

describe('the token that a provider is asked about', () => {
  it.each([
    ['the refresh token', false, { refresh_token: 'rt', access_token: 'at' }, 'rt'],
    ['the access token where there is no other', false, { access_token: 'at' }, 'at'],
    [
      'the access token while the answer to a refresh is lost',
      true,
      { refresh_token: 'rt', access_token: 'at' },
      'at',
    ],
    ['none once the connection has ended', false, {}, undefined],
  ] as const)('is %s', async (_, answerLost, tokens, expected) => {
    const stored: Partial<Record<'refresh_token' | 'access_token', string>> = tokens;
    const token = await tokenToCheck({ answerLost, open: async (hint) => stored[hint] });
    expect(token?.token).toBe(expected);
  });
});
