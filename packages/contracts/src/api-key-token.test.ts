import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { apiKeyToken, keyIdOf } from './api-key-token.js';

const KEY_ID = 'key_0190d9a0-7a1e-7cc0-8c3e-2b1f4d5e6a7b';

describe('an API key', () => {
  it('carries its id, a secret and a checksum', () => {
    const token = apiKeyToken(KEY_ID, randomBytes);
    expect(token).toMatch(
      /^jn_live_0190d9a07a1e7cc08c3e2b1f4d5e6a7b_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/,
    );
    expect(keyIdOf(token)).toBe(KEY_ID);
  });

  it('has the same length whatever the secret is', () => {
    expect(apiKeyToken(KEY_ID, (bytes) => Buffer.alloc(bytes))).toHaveLength(91);
    expect(apiKeyToken(KEY_ID, (bytes) => Buffer.alloc(bytes, 255))).toHaveLength(91);
  });

  it('is known by its checksum when a character was mistyped', () => {
    const token = apiKeyToken(KEY_ID, randomBytes);
    const position = 50;
    const wrong = token[position] === 'a' ? 'b' : 'a';
    expect(keyIdOf(token.slice(0, position) + wrong + token.slice(position + 1))).toBeUndefined();
  });

  it('is nothing else that a caller might send', () => {
    for (const text of ['', 'jn_live_', 'eyJhbGciOiJFZERTQSJ9.e30.x', KEY_ID]) {
      expect(keyIdOf(text)).toBeUndefined();
    }
  });
});
