import type { KeyTimes } from '../../domain/signing-key/rotation.js';

/** A new pair of keys that sign tokens. */
export interface SigningKeyPair {
  /** The thumbprint of the public half (RFC 7638). */
  readonly kid: string;
  readonly publicJwk: Readonly<Record<string, unknown>>;
  /** The private half, as JSON. */
  readonly privateJwk: Buffer;
}

/** A key that is published, or will be. */
export interface StoredSigningKey extends KeyTimes {
  readonly kid: string;
}
