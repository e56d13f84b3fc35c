/** Blanks and dashes, with the minus sign and the long vowel that Japanese keyboards have in place of a hyphen. */
const BETWEEN = /[\s\p{Pd}\p{Cf}\u2212\u30fc]/gu;

/** Returns the letters and digits of a code that somebody typed, in either case and also in full width. */
export const typedCode = (text: string): string =>
  text.normalize('NFKC').toLowerCase().replaceAll(BETWEEN, '');
