import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const SECRET_BYTES_MAX = 256;
const NEW_KEY_BYTES = 32;
const BLANK = String.raw`[\s\u200b-\u200f\u2060\ufeff]`;
/** A blank at an end, or a control character: files, terminals and environment variables lose them. */
const LOST = new RegExp(String.raw`^${BLANK}|\p{Cc}|${BLANK}+$`, 'u');

/** A new secret: `whsec_` and the base64 of 32 random bytes, as Standard Webhooks has it. */
export const newSecret = (random: (bytes: number) => Buffer = randomBytes): string =>
  PREFIX + random(NEW_KEY_BYTES).toString('base64');

/**
 * True when deliveries can be signed with it and receivers will agree on its bytes: 1 to 256 bytes of
 * UTF-8. One that begins with `whsec_` promises base64 (RFC 4648 section 4, with padding) behind it.
 */
export function isUsableSecret(secret: string): boolean {
  const bytes = Buffer.from(secret);
  if (bytes.length < 1 || bytes.length > SECRET_BYTES_MAX) return false;
  // A lone surrogate has no UTF-8: it would turn into U+FFFD here and into something else elsewhere.
  if (bytes.toString() !== secret) return false;
  return !secret.startsWith(PREFIX) || decoded(secret) !== undefined;
}

/**
 * Says why a secret that somebody chooses must not be taken, although it could sign: the receiver would have another
 * one. undefined: it can be taken. Secrets that are in use already need `isUsableSecret` alone.
 */
export function secretProblem(secret: string): string | undefined {
  const lost = secret.length > SECRET_BYTES_MAX ? null : LOST.exec(secret);
  if (lost !== null) return `must have no ${nameOf(lost[0])} ${placeOf(lost.index, secret)}.`;
  if (!secret.startsWith(PREFIX) && secret.toLowerCase().startsWith(PREFIX)) {
    return `must begin with ${PREFIX} in small letters, or with something else.`;
  }
  if (isUsableSecret(secret)) return undefined;
  return `must be 1 to ${SECRET_BYTES_MAX} bytes of UTF-8; one that begins with ${PREFIX} goes on in base64.`;
}

function nameOf(lost: string): string {
  const code = `(U+${lost.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')})`;
  if (/^[\n\r\u2028\u2029]/.test(lost)) return `line end ${code}`;
  return `${/^\s|^\P{Cc}/u.test(lost) ? 'blank' : 'control character'} ${code}`;
}

function placeOf(index: number, secret: string): string {
  if (index === 0) return 'at its beginning';
  return /^[\s\p{C}]*$/u.test(secret.slice(index)) ? 'at its end' : `at character ${index + 1}`;
}

/** Keys that are derived from a secret. */
export interface SigningKeys {
  /** Key of X-Service-Signature: the secret's bytes as configured or shown, a prefix included. */
  readonly service: KeyObject;
  /**
   * Key of webhook-signature: the bytes that `whsec_` encodes, as libraries of Standard Webhooks read it, otherwise
   * the bytes of the text.
   */
  readonly standard: KeyObject;
}

/**
 * Derives the keys, which are worth keeping: on Node 24 an HMAC with a Buffer as its key takes six times as long as
 * one with a KeyObject.
 */
export function signingKeys(secret: string): SigningKeys {
  const bytes = Buffer.from(secret);
  return {
    service: createSecretKey(bytes),
    standard: createSecretKey(decoded(secret) ?? bytes),
  };
}

/**
 * Decodes the part after `whsec_`; undefined unless it is exact base64. Node reads base64 leniently, but libraries of
 * receivers don't.
 */
function decoded(secret: string): Buffer | undefined {
  if (!secret.startsWith(PREFIX)) return undefined;
  const text = secret.slice(PREFIX.length);
  const bytes = Buffer.from(text, 'base64');
  return bytes.length > 0 && bytes.toString('base64') === text ? bytes : undefined;
}
