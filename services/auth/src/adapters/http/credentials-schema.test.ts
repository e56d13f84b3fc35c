import { describe, expect, it } from '@jest/globals';
import { email, newEmail, newPassword } from './credentials-schema.js';

describe('an e-mail address', () => {
  it('is the same person however she writes it', () => {
    expect(email.parse('  Ada.Lovelace@Example.COM ')).toBe('ada.lovelace@example.com');
  });

  it('is refused when it is none', () => {
    for (const text of [
      '',
      'ada',
      'ada@',
      '@example.com',
      'ada@exa mple.com',
      'a\u0000@example.com',
    ])
      expect(email.safeParse(text).success).toBe(false);
    expect(email.safeParse(`${'a'.repeat(250)}@example.com`).success).toBe(false);
  });

  it.each([
    ['user@Bücher.example', 'user@xn--bcher-kva.example'],
    ['user@bu\u0308cher.example', 'user@xn--bcher-kva.example'],
    ['user@faß.example', 'user@xn--fa-hia.example'],
    ['user@пример.рф', 'user@xn--e1afmkfd.xn--p1ai'],
    ['user@xn--e1afmkfd.xn--p1ai', 'user@xn--e1afmkfd.xn--p1ai'],
    ['user@日本語。jp', 'user@xn--wgv71a119e.jp'],
    ['ｕｓｅｒ＠ｅｘａｍｐｌｅ．ｃｏｍ', 'user@example.com'],
  ])('has its domain in ASCII: %s', (text, address) => {
    expect(email.parse(text)).toBe(address);
  });

  it.each([
    ['user@bücher.example/x.com', 'must be an e-mail address'],
    ['user@bücher.example:80', 'must be an e-mail address'],
    ['user@%62ücher.example', 'must be an e-mail address'],
    ['user@bücher', 'must be an e-mail address'],
    ['user@bücher.123', 'must be an e-mail address'],
    ['bücher', 'must be an e-mail address'],
    ['jörg@example.com', 'must have ASCII characters alone before the @'],
    [`${'a'.repeat(65)}@example.com`, 'must have at most 64 characters before the @'],
    [`a@${'b'.repeat(64)}.com`, 'must have at most 63 characters between two dots of its domain'],
    [`a@${'ü'.repeat(60)}.com`, 'must have at most 63 characters between two dots of its domain'],
    [`a@${'b.'.repeat(125)}com`, 'must have at most 254 characters'],
  ])('is refused in words: %s', (text, message) => {
    expect(newEmail.safeParse(text).error?.issues).toMatchObject([{ message }]);
  });

  it('that an account has already may have a longer name before the @', () => {
    const address = `${'a'.repeat(65)}@example.com`;
    expect(email.parse(address)).toBe(address);
    expect(newEmail.parse(address.slice(1))).toBe(address.slice(1));
  });
});

describe('a new password', () => {
  it('has 8 to 256 characters, counted as people count', () => {
    expect(newPassword.safeParse('1234567').success).toBe(false);
    expect(newPassword.safeParse('eight ch').success).toBe(true);
    expect(newPassword.safeParse('😀'.repeat(7)).success).toBe(false);
    expect(newPassword.safeParse('😀🐢🐇🦊🐙🦉🐝🐳'.repeat(32)).success).toBe(true);
    expect(newPassword.safeParse('x'.repeat(257)).success).toBe(false);
  });

  it.each([
    ['PASSWORD', 'must not be one of the most common passwords'],
    ['password123', 'must not be one of the most common passwords'],
    ['aaaaaaaa', 'must have at least 5 different characters'],
    ['a', 'must be 8 to 256 characters'],
  ])('is refused when everybody would guess it: %s', (text, reason) => {
    const { error } = newPassword.safeParse(text);
    expect(error?.issues.map(({ message }) => message)).toEqual([reason]);
  });

  it('is the same password on a keyboard that composes letters otherwise', () => {
    expect(newPassword.parse('caf\u0065\u0301-1234')).toBe(newPassword.parse('caf\u00e9-1234'));
  });
});
