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
