import { describe, expect, it } from '@jest/globals';
import { TOTP } from 'otpauth';
import { authenticatorCodes } from './totp.js';

const codes = authenticatorCodes('Junction');
const secret = codes.newSecret();
const { secret: base32 } = codes.describe(secret, 'ada@example.com');
const now = new Date('2026-01-02T03:04:05Z');
const step = Math.floor(now.getTime() / 30_000);
const right = new TOTP({ secret: base32 }).generate({ timestamp: now.getTime() });

describe('a code of an authenticator', () => {
  it('is of its step, however it is spaced, and of the steps beside it', () => {
    expect(codes.stepOf(secret, right, now)).toBe(step);
    expect(codes.stepOf(secret, `${right.slice(0, 3)} ${right.slice(3)} `, now)).toBe(step);
    for (const dash of ['-', '\u2010', '\u2013', '\u2212', '\u00a0', '\u200b', '－']) {
      expect(codes.stepOf(secret, `${right.slice(0, 3)}${dash}${right.slice(3)}`, now)).toBe(step);
    }
    expect(codes.stepOf(secret, wide(right), now)).toBe(step);
    const later = new Date(now.getTime() + 30_000);
    expect(codes.stepOf(secret, right, later)).toBe(step);
  });

  it.each(['', '12345', '1234567', '12345x', '12345é', '１２３４５', 'ó¥³£', '-----'])(
    'is none of any step: %j',
    (code) => {
      expect(codes.stepOf(secret, code, now)).toBeUndefined();
    },
  );
});

/** As an input method for Japanese writes digits. */
const wide = (digits: string): string =>
  digits.replaceAll(/\d/g, (digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0));
