import { createHash } from 'node:crypto';

/** Of a token that an event names by how it begins: Google gives 16 characters. */
const PREFIX_LENGTH = 16;
/** 128 bits in base64url. */
const REST_MIN_LENGTH = 22;

/** What a refresh token is found by when a security event names it without showing it. */
export interface RefreshTokenIndex {
  /** SHA-512 of SHA-512. */
  readonly hash: Buffer;
  /** The same of its first characters; null for a token too short for that. */
  readonly prefixHash: Buffer | null;
}

/**
 * Plain hashes, without a key: nobody guesses a token of 128 random bits and more (RFC 6749, section
 * 10.10), and what needs no key survives the rotation of keys. A prefix alone could be guessed, so it is
 * indexed only where the rest of the token is still as hard to guess as a whole one.
 */
export function refreshTokenIndex(token: string): RefreshTokenIndex {
  const isLong = token.length >= PREFIX_LENGTH + REST_MIN_LENGTH;
  return {
    hash: doubleSha512(token),
    prefixHash: isLong ? doubleSha512(token.slice(0, PREFIX_LENGTH)) : null,
  };
}

/** Google's `hash_base64_sha512_sha512`, before the base64. */
export const doubleSha512 = (text: string): Buffer => sha512(sha512(text));

const sha512 = (bytes: Buffer | string): Buffer => createHash('sha512').update(bytes).digest();
