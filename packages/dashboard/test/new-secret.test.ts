import { describe, expect, it } from '@jest/globals';
import { secretProblem as problemOfService } from '@junction/webhook-signing';
import { newSecret, secretProblem, withoutBlanksAround } from '../src/webhooks/form/new-secret.js';

describe('a generated secret', () => {
  it('is one that the service signs with: whsec_ and 32 bytes of base64', () => {
    const secret = newSecret();
    expect(problemOfService(secret)).toBeUndefined();
    expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toHaveLength(32);
  });

  it('is never the same twice', () => {
    expect(newSecret()).not.toBe(newSecret());
  });
});

describe('a secret of my own', () => {
  it.each(['x', 'é'.repeat(128), 'a b'])('may be %j', (secret) => {
    expect(secretProblem(secret)).toBeNull();
    expect(problemOfService(secret)).toBeUndefined();
  });

  it.each([' x', 'x ', 'x\u00a0', '\ufeffx', 'x\u200b', 'x\r\n'])(
    'has no blank around it, and loses one when it is pasted: %j',
    (secret) => {
      expect(secretProblem(secret)).toMatch(/^Remove the blank/);
      expect(problemOfService(secret)).toMatch(/^must have no /);
      expect(withoutBlanksAround(secret)).toBe('x');
    },
  );

  it('has to be written', () => {
    expect(secretProblem('')).toMatch(/Enter the secret/);
  });

  it('is counted in bytes, not in characters', () => {
    expect(secretProblem('é'.repeat(129))).toMatch('It has 258 bytes. At most 256 are allowed.');
  });
});
