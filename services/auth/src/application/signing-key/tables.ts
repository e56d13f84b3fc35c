import type { KeyTimes, Rotation } from '../../domain/signing-key/rotation.js';
import type { SigningKeyPair } from './ports.js';

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
