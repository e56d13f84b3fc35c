import type { KeyTimes, Rotation } from '../../domain/signing-key/rotation.js';

/** A new pair of keys that sign tokens. */
export interface SigningKeyPair {
  /** The thumbprint of the public half (RFC 7638). */
  readonly kid: string;
  readonly publicJwk: Readonly<Record<string, unknown>>;
  /** The private half, as JSON. */
  readonly privateJwk: Buffer;
}

export interface SigningKeyStore {
  newPair(): Promise<SigningKeyPair>;
  /** Destroys the private halves of keys that are published no more. */
  destroyEnded(now: Date): Promise<void>;
}

/** A key that is published, or will be. */
export interface StoredSigningKey extends KeyTimes {
  readonly kid: string;
}

/** Signing keys, their private halves sealed. */
export interface SigningKeyTable {
  /** Lists the keys that are published. Replicas that rotate them come one after the other. */
  lock(): Promise<readonly StoredSigningKey[]>;
  /** Adds a key; all others are published until `publishedUntil` at the longest. */
  rotate(pair: SigningKeyPair, rotation: Rotation & { readonly at: Date }): Promise<void>;
}
