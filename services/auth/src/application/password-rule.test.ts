import { describe, expect, it } from '@jest/globals';
import { PASSWORD_MAX, passwordFault, refuseOwnAddress } from './password-rule.js';

const EMAIL = 'ada.lovelace@example.com';

describe('a password that somebody chooses', () => {
  it.each([
    'correct horse battery',
    'eight ch',
    'pass 0f3c1c1e-6f0e-4a53-9d0c-0d8a3c3b7f11',
    'tr0ub4dor',
    'deadbeef19',
    'abcd1234!?',
    'the junction of two rivers',
    'été à la plage',
    '私の猫は魚が大好き',
  ])('may be %s', (password) => {
    expect(passwordFault(password)).toBeUndefined();
  });

  it.each([
    ['password123', 'common'],
    ['ILoveYou', 'common'],
    ['aaaaaaaa', 'different'],
    ['x'.repeat(PASSWORD_MAX), 'different'],
    ['😀'.repeat(20), 'different'],
    ['12121212', 'different'],
    ['zazbzazbzazb', 'different'],
    ['abcdefgh', 'sequences'],
    ['EFGH4567', 'sequences'],
    ['98765432109', 'sequences'],
    ['aabbccddeeff', 'sequences'],
    ['Junction2025', 'Junction'],
    ['my junction', 'Junction'],
  ])('may not be %s', (password, word) => {
    expect(passwordFault(password)).toContain(word);
  });

  it.each(['ada.lovelace', 'Ada.Lovelace1815', 'ADA.LOVELACE@example.com!'])(
    'may not be little more than the address: %s',
    (password) => {
      expect(() => refuseOwnAddress('new_password', password, EMAIL)).toThrow(
        expect.objectContaining({
          code: 'invalid_request',
          fields: [expect.objectContaining({ field: 'new_password', code: 'weak_password' })],
        }),
      );
    },
  );

  it('may not be the address although its name is short', () => {
    expect(() => refuseOwnAddress('password', 'Ada@example.com1', 'ada@example.com')).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
  });

  it('may hold the address beside enough else, or a name that is short', () => {
    for (const [password, email] of [
      ['ada.lovelace wrote notes', EMAIL],
      ['canada 1815', 'ada@example.com'],
      ['eight ch', null],
    ] as const) {
      expect(() => refuseOwnAddress('password', password, email)).not.toThrow();
    }
  });

  it('may hold the address in what is longer besides, up to the longest', () => {
    for (const piece of ['junction', 'ada.lovelace@', '😀z', 'ab']) {
      const password = `${piece.repeat(PASSWORD_MAX / piece.length)} and more`;
      expect(() => refuseOwnAddress('password', password, EMAIL)).not.toThrow();
    }
  });
});
