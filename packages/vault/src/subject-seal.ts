import type { KeyObject } from 'node:crypto';
import { contextOf, decrypt, encrypt, unreadable } from './envelope.js';

/** Header of everything that is sealed for a subject: the format. */
const HEADER = Buffer.of(1);

export const sealWithKey = (
  key: KeyObject,
  subject: string,
  plaintext: Buffer,
  aad: string,
): Buffer => encrypt(key, HEADER, plaintext, contextOf(subject, aad));

/** Opens a sealed value. Throws VaultError `unreadable`. */
export function openWithKey(key: KeyObject, subject: string, sealed: Buffer, aad: string): Buffer {
  if (sealed[0] !== HEADER[0]) throw unreadable();
  return decrypt(key, HEADER.length, sealed, contextOf(subject, aad));
}
