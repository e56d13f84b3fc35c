/**
 * `refused`: this code or refresh token is no good, and asking again will not help.
 * `rejected`: it was turned down, which leaves open whether the grant still stands.
 * `misconfigured`: the provider does not accept our own client.
 * `unavailable`: it did not answer, or not as it should; later it may.
 */
export type ProviderFailure = 'refused' | 'rejected' | 'misconfigured' | 'unavailable';

export interface ProviderErrorOptions {
  readonly failure: ProviderFailure;
  /** A stable code: the provider's own error, or what we call it (timeout, http_503, not_json). */
  readonly reason: string;
  /** False: the request surely never reached the provider. */
  readonly sent: boolean;
  /** The status of the answer; undefined where none came. */
  readonly httpStatus?: number | undefined;
  readonly retryAfterMs?: number | undefined;
  /** What the answer held all the same. It must be kept or revoked, not lost. */
  readonly recovered?: RecoveredTokens | undefined;
}

export interface RecoveredTokens {
  readonly accessToken?: string;
  readonly refreshToken?: string;
}

/**
 * A call to a provider that failed. It has no cause on purpose: the errors of the OAuth library carry
 * whole answers, with tokens in them.
 */
export class ProviderError extends Error {
  readonly failure: ProviderFailure;
  readonly reason: string;
  readonly sent: boolean;
  readonly httpStatus: number | undefined;
  readonly retryAfterMs: number | undefined;
  readonly #recovered: RecoveredTokens;

  constructor(options: ProviderErrorOptions) {
    const { failure, reason, sent, httpStatus, retryAfterMs, recovered = {} } = options;
    super(`The provider's answer was ${failure}: ${reason}.`);
    this.name = new.target.name;
    this.failure = failure;
    this.reason = reason;
    this.sent = sent;
    this.httpStatus = httpStatus;
    this.retryAfterMs = retryAfterMs;
    this.#recovered = recovered;
  }

  /** Private, so that nothing that prints an error can print it. */
  get recovered(): RecoveredTokens {
    return this.#recovered;
  }
}
