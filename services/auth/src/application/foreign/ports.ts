/** Who is known by whom. */
export interface ForeignUser {
  readonly userId: string;
  /** The issuer's id in TRUSTED_ISSUERS_FILE. */
  readonly origin: string;
}

/** Whose access token this is. AppError `unauthenticated` for one that no trusted issuer's keys have signed. */
export type ForeignTokens = (accessToken: string) => Promise<ForeignUser>;

/** What must come back with the code, and lies with the browser meanwhile. */
export interface PendingAuthorization {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** Signing in at a trusted issuer by OpenID Connect: authorization code with PKCE. */
export interface IssuerSignIn {
  readonly id: string;
  readonly displayName: string;
  /** Does it answer? */
  isThere(): Promise<boolean>;
  /**
   * `prompt`: `none` has the issuer answer without asking the user anything (OpenID Connect Core 1.0, section 3.1.2.1).
   * AppError `issuer_unavailable`.
   */
  begin(prompt?: 'none'): Promise<{ readonly url: URL; readonly pending: PendingAuthorization }>;
  /** Who came back. AppError `sign_in_refused` as the issuer says, `sign_in_failed`, `issuer_unavailable`. */
  finish(callback: URL, pending: PendingAuthorization): Promise<ForeignUser>;
}

/** By the issuer's id. */
export type IssuerSignIns = ReadonlyMap<string, IssuerSignIn>;
