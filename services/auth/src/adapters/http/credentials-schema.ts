import { domainToASCII } from 'node:url';
import { z } from 'zod';
import { PASSWORD_MAX, PASSWORD_MIN, passwordFault } from '../../application/password-rule.js';

const EMAIL_MAX = 254; // RFC 5321, section 4.5.3.1: a path is at most 256 with its angle brackets.
const LOCAL_PART_MAX = 64;

/** As z.email has it, and with a top-level domain in an A-label. */
const ADDRESS =
  /^(?!\.)(?!.*\.\.)[a-z\d_'+.-]*[a-z\d_+-]@(?:[a-z\d][a-z\d-]*\.)+(?:[a-z]{2,}|xn--[a-z\d-]+)$/;
/** A domain in which the parser of hosts finds nothing else, such as a path. */
const INTERNATIONAL = /^(?:[a-z\d.-]|\P{ASCII})*$/u;

/** A part of a domain that no name server has (RFC 1035, section 2.3.4). */
const LONG_LABEL = /[^@.]{64}[^@]*$/;

const localPart = (address: string): string => address.replace(/@?[^@]*$/, '');

/** Writes a domain as mail servers know it, in A-labels (RFC 5891). */
function withAsciiDomain(address: string): string {
  const domain = address.slice(address.lastIndexOf('@') + 1);
  if (!/\P{ASCII}/u.test(domain) || !INTERNATIONAL.test(domain)) return address;
  return `${localPart(address)}@${domainToASCII(domain)}`;
}

/**
 * An address is stored and looked up in a single form, in whichever of its forms a person writes it. The part before
 * the @ could be case-sensitive, but no provider of note makes it so, and two accounts that differ by a capital
 * letter would be a trap.
 */
export const email = z
  .string()
  .max(1_000)
  .trim()
  .normalize('NFKC')
  .toLowerCase()
  .transform(withAsciiDomain)
  .refine(
    (address) => !/\P{ASCII}/u.test(localPart(address)),
    'must have ASCII characters alone before the @',
  )
  .pipe(
    z
      .email({ pattern: ADDRESS, error: 'must be an e-mail address' })
      .max(EMAIL_MAX, `must have at most ${EMAIL_MAX} characters`),
  );

/** An address that an account is to have: no mail server has a mailbox or a name that is longer. */
export const newEmail = email
  .refine(
    (address) => localPart(address).length <= LOCAL_PART_MAX,
    `must have at most ${LOCAL_PART_MAX} characters before the @`,
  )
  .refine(
    (address) => !LONG_LABEL.test(address),
    'must have at most 63 characters between two dots of its domain',
  );

// People count characters, not the two units that some take in a string.
const characters = (text: string): number => Array.from(text).length;

const isLongEnough = (text: string): boolean =>
  characters(text) >= PASSWORD_MIN && characters(text) <= PASSWORD_MAX;

/**
 * A password somebody chooses. Composed to one form, so that the same letters typed on another keyboard stay the same
 * password, and none that is soon guessed. The use case knows the address besides that it must not be made of.
 */
export const newPassword = z
  .string()
  .max(4 * PASSWORD_MAX)
  .normalize('NFKC')
  .refine(isLongEnough, {
    error: `must be ${PASSWORD_MIN} to ${PASSWORD_MAX} characters`,
    abort: true,
  })
  .superRefine((text, context) => {
    const message = passwordFault(text);
    if (message === undefined) return;
    context.addIssue({ code: 'custom', message, params: { code: 'weak_password' } });
  })
  .describe(
    '8 to 256 characters, of any kind. Not a common password, not made of sequences and repetitions such as 1234 or aaaa, and with 8 characters besides the address and the name Junction.',
  );

/** A password somebody remembers: an older rule may have allowed what today's does not. */
export const knownPassword = z
  .string()
  .min(1)
  .max(4 * PASSWORD_MAX)
  .normalize('NFKC')
  .refine((text) => characters(text) <= PASSWORD_MAX, `must be at most ${PASSWORD_MAX} characters`);

/** A request with the token of a mail. */
export const mailed = z.strictObject({ token: z.string().min(1).max(200) });

const NAME_MAX = 100;

/** The name of an API key or a passkey. Postgres refuses some controls and halves of surrogate pairs. */
export const keyName = z
  .string()
  .trim()
  .min(1)
  .max(NAME_MAX)
  .regex(/^[^\p{Cc}\p{Cs}]+$/u, 'must not hold control characters');
