/** RFC 6749, section 5.2, and `invalid_target` of RFC 8707, section 2. */
export type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'unsupported_grant_type'
  | 'invalid_scope'
  | 'invalid_target';

/** A refusal in the words of OAuth: what clients of a token endpoint branch on. */
export class OAuthError extends Error {
  constructor(
    readonly code: OAuthErrorCode,
    message: string,
  ) {
    super(message);
    this.name = new.target.name;
  }
}
