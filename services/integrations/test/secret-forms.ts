/** Returns every form in which a secret may stand in a text without an attempt to hide it. */
export function formsOf(secret: string): ReadonlySet<string> {
  const raw = Buffer.from(secret);
  const hex = raw.toString('hex');
  const base64 = [0, 1, 2].map((before) => insideBase64(raw, before));
  return new Set([
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    new URLSearchParams({ '': secret }).toString().slice(1),
    hex,
    hex.toUpperCase(),
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
  ]);
}

const BITS_OF_BYTE = 8;
const BITS_OF_CHAR = 6;

/**
 * Returns the part of a secret that shows in the base64 of a longer text, when so many bytes, modulo 3, stand before
 * the secret.
 */
function insideBase64(raw: Buffer, before: number): string {
  const text = Buffer.concat([Buffer.alloc(before), raw]).toString('base64');
  const start = Math.ceil((before * BITS_OF_BYTE) / BITS_OF_CHAR);
  const end = Math.floor(((before + raw.length) * BITS_OF_BYTE) / BITS_OF_CHAR);
  return text.slice(start, end);
}

/** Counts how many of these secrets stand in the text, in any form. No secret is named. */
export const countIn = (text: string, secrets: Iterable<string>): number =>
  [...secrets].filter((secret) => [...formsOf(secret)].some((form) => text.includes(form))).length;
