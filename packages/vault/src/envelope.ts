import { createCipheriv, createDecipheriv, type KeyObject, randomFillSync } from 'node:crypto';
import { VaultError } from './vault-errors.js';

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const LENGTH_BYTES = 4;

/**
 * Encrypts with AES-256-GCM (NIST SP 800-38D): header, random IV, ciphertext, tag. The header is in the clear and bound
 * like `context`, which names where the value belongs and is stored nowhere: moved elsewhere, the value does not open.
 */
export function encrypt(
  key: KeyObject,
  header: Buffer,
  plaintext: Buffer,
  context: Buffer,
): Buffer {
  const iv = randomIv();
  const cipher = createCipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.concat([header, context]));
  return Buffer.concat([header, iv, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

const ivs = { bytes: Buffer.alloc(IV_BYTES * 256), used: IV_BYTES * 256 };

/**
 * Returns a random IV. Many are drawn at a time and each is used once, because drawing so few bytes costs more than the
 * sealing itself.
 */
function randomIv(): Buffer {
  if (ivs.used === ivs.bytes.length) {
    randomFillSync(ivs.bytes);
    ivs.used = 0;
  }
  return Buffer.from(ivs.bytes.subarray(ivs.used, (ivs.used += IV_BYTES)));
}

/** Decrypts sealed bytes. Throws VaultError `unreadable` unless every bit is as it was sealed. */
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
    // `final` returns an empty rest, or throws when the tag is wrong: until then nothing may be trusted.
    return Buffer.concat([plaintext, decipher.final()]);
  } catch {
    throw unreadable();
  }
}

/** Joins texts into one context. Each text carries its length, so no two lists of texts give the same bytes. */
export function contextOf(...texts: readonly string[]): Buffer {
  const lengths = texts.map((text) => Buffer.byteLength(text));
  const context = Buffer.allocUnsafe(
    lengths.reduce((sum, length) => sum + LENGTH_BYTES + length, 0),
  );
  let at = 0;
  for (const [index, text] of texts.entries()) {
    at = context.writeUInt32BE(lengths[index] ?? 0, at);
    at += context.write(text, at);
  }
  return context;
}

export const unreadable = () =>
  new VaultError(
    'unreadable',
    'A sealed value does not open: it was changed, or was sealed for another subject or place.',
  );
