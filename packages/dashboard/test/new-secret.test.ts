import { describe, expect, it } from '@jest/globals';
import { isUsableSecret } from '@junction/webhook-signing';
import { newSecret, secretProblem } from '../src/webhooks/new-secret.js';

describe('a generated secret', () => {
  it('is one that the service signs with: whsec_ and 32 bytes of base64', () => {
    const secret = newSecret();
    expect(isUsableSecret(secret)).toBe(true);
    expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toHaveLength(32);
  });

  it('is never the same twice', () => {
    expect(newSecret()).not.toBe(newSecret());
  });
});

describe('a secret of my own', () => {
  it.each(['x', 'é'.repeat(128), ' '])('may be %j', (secret) => {
    expect(secretProblem(secret)).toBeNull();
    expect(isUsableSecret(secret)).toBe(true);
  });

  it('has to be written', () => {
    expect(secretProblem('')).toMatch(/Enter the secret/);
  });

  it('is counted in bytes, not in characters', () => {
    expect(secretProblem('é'.repeat(129))).toMatch('It has 258 bytes. At most 256 are allowed.');
  });
});
