import { createHash } from 'node:crypto';

/** Length of the prefix by which an event names a token: Google gives 16 characters. */
const PREFIX_LENGTH = 16;
/** Fewest characters after the prefix: 128 bits in base64url. */
const REST_MIN_LENGTH = 22;

/** Hashes by which a refresh token is found when a security event names it without showing it. */
export interface RefreshTokenIndex {
  /** SHA-512 of SHA-512. */
  readonly hash: Buffer;
  /** SHA-512 of SHA-512 of its first characters; null for a token that is too short. */
  readonly prefixHash: Buffer | null;
}

/**
 * Computes the index of a refresh token: plain hashes without a key, because nobody guesses a token of 128 random bits
 * and more (RFC 6749, section 10.10), and hashes without a key survive the rotation of keys. A prefix alone could be
 * guessed, so it is indexed only when the rest of the token is still as hard to guess as a whole token.
 */
export function refreshTokenIndex(token: string): RefreshTokenIndex {
  const isLong = token.length >= PREFIX_LENGTH + REST_MIN_LENGTH;
  return {
    hash: doubleSha512(token),
    prefixHash: isLong ? doubleSha512(token.slice(0, PREFIX_LENGTH)) : null,
  };
}

/** Computes Google's `hash_base64_sha512_sha512`, before the base64. */
export const doubleSha512 = (text: string): Buffer => sha512(sha512(text));

const sha512 = (bytes: Buffer | string): Buffer => createHash('sha512').update(bytes).digest();
