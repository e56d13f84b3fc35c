/** A user of a trusted issuer. */
export interface ForeignUser {
  readonly userId: string;
  /** The issuer's id in TRUSTED_ISSUERS_FILE. */
  readonly origin: string;
}

/**
 * Returns the user of an access token. AppError `unauthenticated` for a token that no trusted issuer's keys have
 * signed.
 */
export type ForeignTokens = (accessToken: string) => Promise<ForeignUser>;

/** Issuers of TRUSTED_ISSUERS_FILE, by their ids. `ask` rejects when the issuer does not give its keys. */
export type TrustedIssuers = ReadonlyMap<string, { readonly ask: () => Promise<void> }>;

/** Values that must come back with the code, and that the browser keeps meanwhile. */
export interface PendingAuthorization {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** Signing in at a trusted issuer by OpenID Connect: authorization code with PKCE. */
export interface IssuerSignIn {
  readonly id: string;
  readonly displayName: string;
  /** Tells whether the issuer answers. */
  isThere(): Promise<boolean>;
  /**
   * `prompt`: `none` has the issuer answer without asking the user anything (OpenID Connect Core 1.0, section 3.1.2.1).
   * AppError `issuer_unavailable`.
   */
  begin(prompt?: 'none'): Promise<{ readonly url: URL; readonly pending: PendingAuthorization }>;
  /**
   * Returns the user who came back. AppError `sign_in_refused` as the issuer says, `sign_in_failed`,
   * `issuer_unavailable`.
   */
  finish(callback: URL, pending: PendingAuthorization): Promise<ForeignUser>;
}

/** Sign-ins by the issuer's id. */
export type IssuerSignIns = ReadonlyMap<string, IssuerSignIn>;
