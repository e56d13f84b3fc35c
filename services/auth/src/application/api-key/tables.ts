export interface OwnedApiKey {
  readonly keyId: string;
  readonly version: number;
}

/** Keys and the hashes of their secrets. */
export interface ApiKeyTable {
  ofUser(userId: string): Promise<readonly OwnedApiKey[]>;
  addSecret(keyId: string, secretHash: Buffer): Promise<void>;
  /** Adds a secret. The last one ends at `previousValidUntil`, the one before that at once. */
  rotateSecret(secret: {
    readonly keyId: string;
    readonly secretVersion: number;
    readonly previousValidUntil: string;
    readonly secretHash: Buffer;
  }): Promise<void>;
}
