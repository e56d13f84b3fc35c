import { describe, expect, it } from '@jest/globals';
import { isUsableSecret, newSecret, secretProblem, signingKeys } from './secret.js';

describe('a secret', () => {
  it.each([
    'x',
    'correct horse battery staple',
    'ä'.repeat(128),
    'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    'whsec_c2hvcnQ=',
    'WHSEC_not base64',
    'not whsec_ either',
  ])('is usable when it is of the own choice: %j', (secret) => {
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

describe('a secret that somebody chooses', () => {
  it.each(['x', 'correct horse battery staple', 'ä'.repeat(128), 'whsec_c2hvcnQ=', 'not WHSEC_'])(
    'may be %j',
    (secret) => {
      expect(secretProblem(secret)).toBeUndefined();
    },
  );

  it.each([
    ['abc\n', 'must have no line end (U+000A) at its end.'],
    ['abc\r\n', 'must have no line end (U+000D) at its end.'],
    ['whsec_c2hvcnQ=\n', 'must have no line end (U+000A) at its end.'],
    ['\u2028abc', 'must have no line end (U+2028) at its beginning.'],
    [' abc ', 'must have no blank (U+0020) at its beginning.'],
    ['abc \t', 'must have no blank (U+0020) at its end.'],
    ['abc\u00a0', 'must have no blank (U+00A0) at its end.'],
    ['\ufeffabc', 'must have no blank (U+FEFF) at its beginning.'],
    ['abc\u200b', 'must have no blank (U+200B) at its end.'],
    ['a b ', 'must have no blank (U+0020) at its end.'],
    ['a\tb', 'must have no blank (U+0009) at character 2.'],
    ['ab\nc', 'must have no line end (U+000A) at character 3.'],
    ['a b\u007fc', 'must have no control character (U+007F) at character 4.'],
    [' ', 'must have no blank (U+0020) at its beginning.'],
    ['WHSEC_AAAA', 'must begin with whsec_ in small letters, or with something else.'],
    ['whsec_?', 'must be 1 to 256 bytes of UTF-8; one that begins with whsec_ goes on in base64.'],
    ['', 'must be 1 to 256 bytes of UTF-8; one that begins with whsec_ goes on in base64.'],
  ])('is refused with the reason and the place: %j', (secret, problem) => {
    expect(secretProblem(secret)).toBe(problem);
  });

  it.each([' abc ', 'abc\n', 'WHSEC_AAAA'])('goes on signing where it is in use: %j', (secret) => {
    expect(isUsableSecret(secret)).toBe(true);
    expect(signingKeys(secret).standard.export()).toEqual(Buffer.from(secret));
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
