import { ResponseBodyError, WWWAuthenticateChallengeError } from 'openid-client';

/** What a token endpoint answers instead of a token (RFC 6749, section 5.2). */
export interface TokenRefusal {
  /** For instance `invalid_client` or `invalid_scope`. */
  readonly error: string;
  readonly description: string | undefined;
}

/** The refusal behind an error of `clientCredentials`; undefined when the endpoint gave no such answer. */
export function tokenRefusal(error: unknown): TokenRefusal | undefined {
  // Section 5.2 has 401 with a challenge for one error alone.
  if (error instanceof WWWAuthenticateChallengeError) {
    return { error: 'invalid_client', description: undefined };
  }
  if (!(error instanceof ResponseBodyError)) return undefined;
  return { error: error.error, description: error.error_description };
}
