/** Hashes of the secrets of clients. */
export interface ClientSecretTable {
  /** Adds a secret. The last one ends at `previousValidUntil` or earlier, the one before that at once. */
  rotate(secret: {
    readonly clientId: string;
    readonly secretVersion: number;
    readonly previousValidUntil: string;
    readonly secretHash: Buffer;
  }): Promise<void>;
  /** Ends the secrets of a client at this moment or earlier. */
  end(clientId: string, until: string): Promise<void>;
}
