const MASK = '[masked]';

/**
 * Patterns of secrets for the last look at a line before it leaves. Nothing secret should get this far; a secret that
 * does was put into a message or an error by a library, so the patterns know shapes instead of names. Every pattern is
 * linear: an attacker chooses part of the text that is matched.
 */
const SHAPES: readonly (readonly [RegExp, string])[] = [
  [/jn_(live|rt)_[\w-]+/gi, `jn_$1_${MASK}`],
  [/whsec_[\w+/=-]+/gi, `whsec_${MASK}`],
  // A JWT, also with its last part or two cut off: a header and claims alone already name a person.
  [/\beyJ[\w-]{5,}(?:\.[\w-]*){0,4}/g, MASK],
  [/\b(Bearer|Basic)(\s+|%20|\+)[\w.~+/=%-]+/gi, `$1 ${MASK}`],
  // A parameter of a query or a form, encoded or not, whatever stands before its name.
  [
    /(code|token|secret|password|verifier|assertion|challenge|state)(=|%3D)[^&\s"'\\,;}\])]+/gi,
    `$1$2${MASK}`,
  ],
  // A member of JSON, where `code` alone would hide our own error codes. JSON put into a string is masked up to the end
  // of that string, because only the quotes of the line itself are sure to be quotes.
  [
    /(\\*"(?:access_token|refresh_token|id_token|auth_code|code_verifier|client_secret|password|secret|token)\\*"\s*:\s*\\*")(?:[^"\\]|\\.)*/gi,
    `$1${MASK}`,
  ],
  // A password in a URL, up to the last @ of the word: a password may hold an @ itself.
  [/\b([a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@"\\]{0,256}:)[^\s"\\]{1,1024}@/gi, `$1${MASK}@`],
];

/** Returns the line with everything replaced that looks like a secret. */
export const mask = (line: string): string =>
  SHAPES.reduce((text, [shape, replacement]) => text.replace(shape, replacement), line);
