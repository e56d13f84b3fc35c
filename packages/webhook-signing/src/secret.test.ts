import { describe, expect, it } from '@jest/globals';
import { isUsableSecret, newSecret, signingKeys } from './secret.js';

describe('a secret', () => {
  it.each([
    'x',
    'correct horse battery staple',
    'ä'.repeat(128),
    'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    'whsec_c2hvcnQ=',
    'WHSEC_not base64',
    'not whsec_ either',
  ])('of the own choice is usable: %j', (secret) => {
    expect(isUsableSecret(secret)).toBe(true);
  });

  it.each([
    '',
    'x'.repeat(257),
    `${'ä'.repeat(128)}x`,
    'lone \ud800 surrogate',
    'whsec_',
    'whsec_not base64!',
    'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS',
    'whsec_c2hvcnQ',
    'whsec_c2hvcnR=',
    'whsec_-_-_-_-_',
    'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n',
  ])('is not usable: %j', (secret) => {
    expect(isUsableSecret(secret)).toBe(false);
  });

  it('made new is whsec_ and 32 random bytes', () => {
    expect(newSecret(() => Buffer.alloc(32, 1))).toBe(
      'whsec_AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=',
    );
    expect(newSecret()).not.toBe(newSecret());
    expect(isUsableSecret(newSecret())).toBe(true);
  });
});

describe('the key of Standard Webhooks', () => {
  // Libraries of Standard Webhooks decode whatever stands behind whsec_, however short it is.
  it.each([1, 8, 15, 16, 32])('is what whsec_ encodes: %d bytes', (length) => {
    const key = Buffer.alloc(length, 7);
    expect(signingKeys(`whsec_${key.toString('base64')}`).standard.export()).toEqual(key);
  });

  it.each(['whsec_!', 'plain', 'a3f1c5d7e9b2', 'secretAAAA'])(
    'is the bytes of any other secret: %j',
    (secret) => {
      expect(signingKeys(secret).standard.export()).toEqual(Buffer.from(secret));
    },
  );
});
