import { AppError } from '@junction/errors';
import { dictionary } from '@zxcvbn-ts/language-common';

export const PASSWORD_MIN = 8;
export const PASSWORD_MAX = 256;

const DIFFERENT_MIN = 5;
/** A shorter name is part of many words that have nothing to do with it. */
const NAME_MIN = 4;
/** The name of the product is the first word that a guesser tries. */
const PRODUCT = 'junction';

/** Passwords of the 49,000 most common that are long enough, in lower case. */
const COMMON: ReadonlySet<string> = new Set(
  dictionary['passwords-common'].filter(({ length }) => length >= PASSWORD_MIN),
);

/**
 * Returns, for the reader, why a password would be guessed soon, as NIST SP 800-63B, section 3.1.1.2, has new
 * passwords looked up. The rule demands no kinds of characters. Undefined for a password without a fault.
 *
 * @param password of `PASSWORD_MIN` characters at least
 */
export function passwordFault(password: string): string | undefined {
  const text = password.toLowerCase();
  if (COMMON.has(text)) return 'must not be one of the most common passwords';
  const characters = Array.from(text);
  if (new Set(characters).size < DIFFERENT_MIN) {
    return `must have at least ${DIFFERENT_MIN} different characters`;
  }
  // `abcd1234` is two characters and what follows from them.
  if (characters.filter(followsNone).length < DIFFERENT_MIN - 1) {
    return 'must not be made of sequences and repetitions, such as abcd, 1234 or aaaa';
  }
  return isMadeOf([PRODUCT], text)
    ? `must have ${PASSWORD_MIN} characters besides the name Junction`
    : undefined;
}

const followsNone = (character: string, at: number, all: readonly string[]): boolean =>
  Math.abs(codeOf(character) - codeOf(all[at - 1])) > 1;

/** The character before the first is far from all others. */
const codeOf = (character = ''): number => character.codePointAt(0) ?? -Infinity;

/** AppError `invalid_request` about this field for a password that is little more than its owner's address. */
export function refuseOwnAddress(
  field: 'password' | 'new_password',
  password: string,
  email: string | null,
): void {
  const address = email?.toLowerCase() ?? '';
  const [name = ''] = address.split('@', 1);
  const words = name.length < NAME_MIN ? [address] : [address, name];
  if (address === '' || !isMadeOf(words, password.toLowerCase())) return;
  const message = `must have ${PASSWORD_MIN} characters besides your address`;
  throw new AppError('invalid_request', `The request is not valid. ${field} ${message}.`, {
    fields: [{ field, code: 'weak_password', message }],
  });
}

/** Whether too little is left of a text that holds one of these words. */
function isMadeOf(words: readonly string[], text: string): boolean {
  const rest = words.reduce((left, word) => left.replaceAll(word, ''), text);
  return rest !== text && Array.from(rest).length < PASSWORD_MIN;
}
