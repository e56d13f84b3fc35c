import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto';
import { VaultError } from './vault-errors.js';

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * AES-256-GCM (NIST SP 800-38D): header, random IV, ciphertext, tag. The header is in the clear and
 * bound like `context`, which says where this belongs and is stored nowhere: moved to another place,
 * it does not open.
 */
export function encrypt(
  key: KeyObject,
  header: Buffer,
  plaintext: Buffer,
  context: Buffer,
): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.concat([header, context]));
  return Buffer.concat([header, iv, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

/** Throws VaultError `unreadable` unless every bit is as it was sealed. */
export function decrypt(
  key: KeyObject,
  headerBytes: number,
  sealed: Buffer,
  context: Buffer,
): Buffer {
  const ciphertextAt = headerBytes + IV_BYTES;
  const tagAt = sealed.length - TAG_BYTES;
  if (tagAt < ciphertextAt) throw unreadable();

  const iv = sealed.subarray(headerBytes, ciphertextAt);
  const decipher = createDecipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.concat([sealed.subarray(0, headerBytes), context]));
  decipher.setAuthTag(sealed.subarray(tagAt));
  const plaintext = decipher.update(sealed.subarray(ciphertextAt, tagAt));
  try {
    // An empty rest, or a throw when the tag is wrong: until here nothing may be believed.
    return Buffer.concat([plaintext, decipher.final()]);
  } catch {
    throw unreadable();
  }
}

/** Texts as one context. Each carries its length, so no two lists of texts give the same bytes. */
export const contextOf = (...texts: readonly string[]): Buffer =>
  Buffer.concat(
    texts.flatMap((text) => {
      const bytes = Buffer.from(text);
      const length = Buffer.alloc(4);
      length.writeUInt32BE(bytes.length);
      return [length, bytes];
    }),
  );

export const unreadable = () =>
  new VaultError(
    'unreadable',
    'A sealed value does not open: it was changed, or was sealed for another subject or place.',
  );
