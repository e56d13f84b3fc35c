import { describe, expect, it } from '@jest/globals';
import { email, newPassword } from './credentials-schema.js';

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
