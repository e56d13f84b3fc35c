import { dictionary } from '@zxcvbn-ts/language-common';
import { z } from 'zod';

const EMAIL_MAX = 254; // RFC 5321, section 4.5.3.1: a path is at most 256 with its angle brackets.
const PASSWORD_MIN = 8;
const PASSWORD_MAX = 256;

/**
 * One person writes her address in many ways; it is stored and looked up in one. The part before the
 * @ could be case-sensitive, but no provider of note makes it so, and two accounts that differ by
 * a capital letter would be a trap.
 */
export const email = z
  .string()
  .max(1_000)
  .trim()
  .toLowerCase()
  .pipe(z.email('must be an e-mail address').max(EMAIL_MAX));

// People count characters, not the two units that some take in a string.
const characters = (text: string): number => Array.from(text).length;

/** Those of the 49,000 most common ones that are long enough, in lower case. */
const COMMON_PASSWORDS: ReadonlySet<string> = new Set(
  dictionary['passwords-common'].filter(({ length }) => length >= PASSWORD_MIN),
);

/**
 * A password somebody chooses. Composed to one form, so that the same letters typed on another keyboard
 * stay the same password, and none of the common ones (NIST SP 800-63B, section 5.1.1.2).
 */
export const newPassword = z
  .string()
  .max(4 * PASSWORD_MAX)
  .normalize('NFKC')
  .refine(
    (text) => characters(text) >= PASSWORD_MIN && characters(text) <= PASSWORD_MAX,
    `must be ${PASSWORD_MIN} to ${PASSWORD_MAX} characters`,
  )
  .refine(
    (text) => !COMMON_PASSWORDS.has(text.toLowerCase()),
    'must not be one of the most common passwords',
  );

/** A password somebody remembers: an older rule may have allowed what today's does not. */
export const knownPassword = z
  .string()
  .min(1)
  .max(4 * PASSWORD_MAX)
  .normalize('NFKC')
  .refine((text) => characters(text) <= PASSWORD_MAX, `must be at most ${PASSWORD_MAX} characters`);
