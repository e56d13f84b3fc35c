import type { Grant, PublicKeys } from '../../domain/client/events.js';

/** A service that asks for tokens (RFC 6749, section 4.4), and by what it is known. */
export interface Client {
  readonly clientId: string;
  readonly name: string;
  readonly grants: readonly Grant[];
  readonly secrets: readonly ClientSecret[];
  /** With these it signs assertions (RFC 7523). */
  readonly jwks?: PublicKeys | undefined;
}

export interface ClientSecret {
  /** SHA-256 of the secret. */
  readonly hash: Buffer;
  /** Null when the secret is good as long as the client. */
  readonly validUntil: Date | null;
}

export interface Assertion {
  readonly clientId: string;
  readonly jti: string;
  readonly expiresAt: Date;
}

export interface ClientAssertions {
  /** Returns the client that the assertion says has signed it; undefined where it names none. Nothing is verified. */
  claimedClientId(jwt: string): string | undefined;
  /**
   * Returns the claims of an assertion that these keys signed for us and that has not expired (RFC 7523, section 3).
   */
  verify(
    jwt: string,
    client: { readonly clientId: string; readonly jwks: PublicKeys },
  ): Promise<Assertion | undefined>;
}
