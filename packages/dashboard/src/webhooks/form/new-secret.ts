const PREFIX = 'whsec_';
const KEY_BYTES = 32;
const SECRET_BYTES_MAX = 256;

/** A new secret, made in this browser: `whsec_` and the base64 of 32 random bytes (Standard Webhooks). */
export function newSecret(): string {
  const key = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return PREFIX + btoa(String.fromCharCode(...key));
}

/** Without the blanks and line ends around it, which are copied along, and which the service refuses. */
export const withoutBlanksAround = (text: string): string =>
  text.replaceAll(/^[\s\u200b-\u200f\u2060]+|[\s\u200b-\u200f\u2060]+$/g, '');

/** Returns what is wrong with the length or the ends of a user's own secret; the service checks the rest. */
export function secretProblem(secret: string): string | null {
  const bytes = new TextEncoder().encode(secret).length;
  if (bytes === 0) return 'Enter the secret, or choose another option above.';
  if (secret !== withoutBlanksAround(secret)) return 'Remove the blank at its beginning or end.';
  if (bytes <= SECRET_BYTES_MAX) return null;
  return `It has ${bytes} bytes. At most ${SECRET_BYTES_MAX} are allowed.`;
}
