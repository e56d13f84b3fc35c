import { describe, expect, it } from '@jest/globals';
import { cursorOf, historyQuery } from './query.js';

const encoded = (text: string) => Buffer.from(text).toString('base64url');

describe('the query of a history', () => {
  it('begins with the newest fifty, and goes on where a cursor says', () => {
    expect(historyQuery.parse({})).toEqual({ limit: 50 });
    const position = { version: 3, credentialVersion: 2 };
    expect(historyQuery.parse({ limit: '100', cursor: cursorOf(position) })).toEqual({
      limit: 100,
      cursor: position,
    });
  });

  it.each([
    ['limit', '0'],
    ['limit', '101'],
    ['limit', '1.5'],
    ['limit', 'many'],
    ['cursor', 'x'],
    ['cursor', ''],
    ['cursor', encoded('before 0 1')],
    ['cursor', encoded('before 1')],
    ['cursor', encoded('before 9999999999 1')],
  ])('names %s=%s as what is wrong', (field, value) => {
    const { error } = historyQuery.safeParse({ [field]: value });
    expect(error?.issues.map(({ path }) => path)).toEqual([[field]]);
  });

  it('takes no other field', () => {
    const { error } = historyQuery.safeParse({ surprise: '1' });
    expect(error?.issues).toMatchObject([{ keys: ['surprise'] }]);
  });
});
