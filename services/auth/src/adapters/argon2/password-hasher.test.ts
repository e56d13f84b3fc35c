import { describe, expect, it } from '@jest/globals';
import { hashesAtOnce, passwordHasher } from './password-hasher.js';

it('hashes leave a core and a thread to everything else', () => {
  expect([1, 2, 4, 64].map(hashesAtOnce)).toEqual([1, 1, 3, 3]);
});

describe('a password', () => {
  it('is stored as argon2id with 19 MiB, 2 passes and 1 lane', async () => {
    const passwords = await passwordHasher({ atOnceMax: 1, waitingMax: 4 });
    const stored = await passwords.hash('correct horse');

    expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(await passwords.verify(stored, 'correct horse')).toBe(true);
    expect(await passwords.verify(stored, 'wrong horse')).toBe(false);
  });

  it('never matches where there is no account', async () => {
    const passwords = await passwordHasher({ atOnceMax: 1, waitingMax: 4 });
    expect(await passwords.verify(undefined, 'nobody has this password')).toBe(false);
  });
});
