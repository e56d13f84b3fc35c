import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const SECRET_BYTES_MAX = 256;
const NEW_KEY_BYTES = 32;

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
