/** A secret of a key, which has two at most. */
export interface ApiKeySecret {
  /** Number of the secret, counted from 1. */
  readonly version: number;
  readonly hash: Buffer;
  /** Null when the secret is good as long as the key. */
  readonly validUntil: Date | null;
}

/** A key that was shown, and the trusted issuer of its owner. */
export interface StoredApiKey {
  readonly keyId: string;
  readonly userId: string;
  readonly scopes: readonly string[];
  /** Null: it does not expire. */
  readonly expiresAt: Date | null;
  readonly secrets: readonly ApiKeySecret[];
  /** Null when the owner is a user of our own. */
  readonly origin: string | null;
  /** When the issuer last gave its keys; null: it was never asked. */
  readonly issuerAnsweredAt: Date | null;
}

export interface OwnedApiKey {
  readonly keyId: string;
  readonly version: number;
}
