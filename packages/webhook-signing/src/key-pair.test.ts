import { createPublicKey, sign, verify } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { keyPair, newSigningKey, publicKeyObject } from './key-pair.js';

/** Key pair from the documentation of Svix, whose libraries know both halves. */
const PRIVATE =
  'whsk_6Xb/dCcHpPea21PS1N9VY/NZW723CEc77N4rJCubMbfVKIDij2HKpMKkioLlX0dRqSKJp4AJ6p9lMicMFs6Kvg==';
const PUBLIC = 'whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=';

describe('a signing key', () => {
  it('has the public key that others make of it', () => {
    expect(keyPair(PRIVATE).publicKey).toBe(PUBLIC);
  });

  it('made new verifies what it signed, as node:crypto has it', () => {
    const { privateKey, publicKey } = keyPair(newSigningKey());
    const content = Buffer.from('signed');
    const x = Buffer.from(publicKey.slice('whpk_'.length), 'base64').toString('base64url');
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });

    expect(verify(null, content, key, sign(null, content, privateKey))).toBe(true);
    expect(newSigningKey()).not.toBe(newSigningKey());
  });

  it.each([
    '',
    PRIVATE.slice('whsk_'.length),
    PRIVATE.replace('whsk_', 'whpk_'),
    PRIVATE.slice(0, -1),
    `${PRIVATE}\n`,
    `whsk_${Buffer.alloc(32).toString('base64')}`,
    `whsk_${Buffer.alloc(64, 7).toString('base64')}`,
  ])('is both halves, and the second is made from the first: %j', (wrong) => {
    expect(() => keyPair(wrong)).toThrow('whsk_ and the base64 of 64 bytes');
  });
});

it('a public key is the base64 of 32 bytes', () => {
  expect(publicKeyObject(PUBLIC)?.asymmetricKeyType).toBe('ed25519');
  for (const wrong of [PUBLIC.slice(0, -1), 'whpk_', `${PUBLIC}A`, PUBLIC.replace('whpk', '')]) {
    expect(publicKeyObject(wrong)).toBeUndefined();
  }
});
