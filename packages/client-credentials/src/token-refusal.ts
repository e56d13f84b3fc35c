import { ResponseBodyError, WWWAuthenticateChallengeError } from 'openid-client';

/** Error answer of a token endpoint (RFC 6749, section 5.2). */
export interface TokenRefusal {
  /** Error code, for instance `invalid_client` or `invalid_scope`. */
  readonly error: string;
  readonly description: string | undefined;
}

/** Returns the refusal behind an error of `clientCredentials`; undefined when the endpoint gave no such answer. */
export function tokenRefusal(error: unknown): TokenRefusal | undefined {
  // Section 5.2 answers only this error with 401 and a challenge.
  if (error instanceof WWWAuthenticateChallengeError) {
    return { error: 'invalid_client', description: undefined };
  }
  if (!(error instanceof ResponseBodyError)) return undefined;
  return { error: error.error, description: error.error_description };
}
