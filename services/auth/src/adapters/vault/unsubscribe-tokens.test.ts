import { expect, it } from '@jest/globals';
import { keyRing } from '@junction/vault';
import { unsubscribeTokens } from './unsubscribe-tokens.js';

const ring = (id: string, byte: number) =>
  keyRing(`${id}:${Buffer.alloc(32, byte).toString('base64url')}`);

it('a token names its user to whoever has the key that made it, and nobody to others', () => {
  const tokens = unsubscribeTokens(ring('k1', 1));
  const token = tokens.of('ada');
  expect(tokens.userOf(token)).toBe('ada');
  expect(unsubscribeTokens(ring('k1', 2)).userOf(token)).toBeUndefined();
  expect(unsubscribeTokens(ring('k2', 1)).userOf(token)).toBeUndefined();
  for (const broken of ['', 'x', `${token.slice(0, -4)}AAAA`]) {
    expect(tokens.userOf(broken)).toBeUndefined();
  }
});
